import { allows, type Permission, type Role } from '@svc/service/dashboard/permissions';

/**
 * Why the role does not allow the action, for the tooltip of a disabled control; undefined if the role allows it. The
 * service checks requests with the same table.
 */
export const whyNot = (role: Role, permission: Permission): string | undefined =>
  allows(role, permission) ? undefined : `Your role is ${role}. ${NEEDED[permission]}`;

const NEEDED: Readonly<Record<Permission, string>> = {
  'key.manage': 'Only owners and admins can manage keys.',
  'workspace.rename': 'Only owners and admins can rename a workspace.',
  'deletion.manage': 'Only owners can delete or restore a workspace.',
  'security.set': 'Only owners can change the rules of sign-in.',
  'quota.set': 'Only owners can set limits.',
  'record.change': 'Only owners and admins can change records.',
  'record.import': 'Only owners and admins can import records.',
  'webhook.manage': 'Only owners and admins can see and manage webhooks.',
  'member.update': 'Only owners and admins can change roles.',
  'member.delete': 'Only owners and admins can remove members.',
  'account.recover': 'Only owners can create reset links.',
  'invitation.create': 'Only owners and admins can invite people.',
  'invitation.cancel': 'Only owners and admins can withdraw invitations.',
};
