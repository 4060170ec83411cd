import { allows, type Permission, type Role } from '@svc/service/dashboard/permissions';

/**
 * Undefined: the role allows it. Else why not, for a control that cannot be used. The service refuses by the same
 * table.
 */
export const whyNot = (role: Role, permission: Permission): string | undefined =>
  allows(role, permission) ? undefined : `Your role here is ${role}. ${NEEDED[permission]}`;

const NEEDED: Readonly<Record<Permission, string>> = {
  'key.manage': 'Owners and admins manage keys.',
  'workspace.rename': 'Owners and admins rename a workspace.',
  'quota.set': 'Owners set limits.',
  'record.change': 'Owners and admins change records.',
  'record.import': 'Owners and admins import records.',
  'member.update': 'Owners and admins change roles.',
  'member.delete': 'Owners and admins remove members.',
  'account.recover': 'Owners create reset links.',
  'invitation.create': 'Owners and admins invite people.',
  'invitation.cancel': 'Owners and admins withdraw invitations.',
};
