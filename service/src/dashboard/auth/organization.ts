import { createAccessControl } from 'better-auth/plugins/access';
import type { OrganizationOptions } from 'better-auth/plugins/organization';
import { appendEvent } from '../../audit-log/append-event.ts';
import type { EventTarget, NewEvent } from '../../audit-log/entry.ts';
import { INVITATION_HOURS, MEMBERS_MAX } from '../limits.ts';
import type { AuthDatabase } from './database.ts';
import { ACTIONS, PERMISSIONS, type Role } from './permissions.ts';
import { ORGANIZATION_MODELS } from './schema.ts';

const control = createAccessControl(ACTIONS);
/** The permissions of each role for better-auth. */
const ROLES = {
  owner: control.newRole(PERMISSIONS.owner),
  admin: control.newRole(PERMISSIONS.admin),
  viewer: control.newRole(PERMISSIONS.viewer),
} satisfies Record<Role, unknown>;

const memberTarget = ({ id, email }: { readonly id: string; readonly email: string }): EventTarget => ({
  id,
  label: email,
});

/** Workspaces and their members in better-auth, with our roles. Their changes are logged. */
export function organizationOptions(database: AuthDatabase) {
  const record = (workspaceId: string, event: NewEvent): Promise<void> =>
    database.join((client, by) => {
      if (by.actor === null) throw new Error('A change of members needs a transaction that names its actor.');
      return appendEvent(client, workspaceId, by, event);
    });
  return {
    roles: ROLES,
    schema: ORGANIZATION_MODELS,
    // records/workspaces.ts creates a workspace. Its organization is a view of it.
    allowUserToCreateOrganization: false,
    disableOrganizationDeletion: true,
    membershipLimit: MEMBERS_MAX,
    invitationExpiresIn: INVITATION_HOURS * 60 * 60,
    // A new invitation of the same person replaces the old one and its link.
    cancelPendingInvitationsOnReInvite: true,
    // The link is the proof. There is no mail server that could verify the address.
    requireEmailVerificationOnInvitation: false,
    organizationHooks: {
      afterCreateInvitation: ({ invitation, organization }) =>
        record(organization.id, {
          kind: 'member.invited',
          target: { id: invitation.id, label: invitation.email },
          details: { role: invitation.role },
        }),
      afterRemoveMember: ({ member, user, organization }) =>
        record(organization.id, {
          kind: 'member.removed',
          target: memberTarget(user),
          details: { role: member.role },
        }),
      afterUpdateMemberRole: async ({ member, previousRole, user, organization }) => {
        // Another person may have given the same role before.
        if (previousRole === member.role) return;
        await record(organization.id, {
          kind: 'member.role_changed',
          target: memberTarget(user),
          changes: [{ field: 'role', before: previousRole, after: member.role }],
        });
      },
    },
  } satisfies OrganizationOptions;
}
