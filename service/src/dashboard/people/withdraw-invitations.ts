import type pg from 'pg';
import type { ActorContext } from '../../audit-log/actor.ts';
import { appendEvents } from '../../audit-log/append-event.ts';
import { allows, ROLE_NAMES, type Role } from '../auth/roles.ts';

/** Whether a member with the role `inviter` may invite somebody as `invited`; better-auth asks the same. */
export const mayInvite = (inviter: Role, invited: Role): boolean =>
  allows(inviter, 'invitation.create') && (invited !== 'owner' || inviter === 'owner');

/**
 * Ends what a member could come back by, and their links with it: the pending invitations that they made and may not
 * make any more with the role that they have now, and when they are no member any more (`role` null) those to their own
 * address too. Called in the transaction that changes the member, behind {@link lockMembers}.
 */
export async function withdrawInvitations(
  client: pg.ClientBase,
  by: ActorContext,
  workspaceId: string,
  userId: string,
  role: Role | null,
): Promise<void> {
  const stay = role === null ? [] : ROLE_NAMES.filter((invited) => mayInvite(role, invited));
  const { rows } = await client.query<Withdrawn>(
    `with withdrawn as (
      update invitations set status = 'canceled'
      where workspace_id = $1 and status = 'pending'
        and (inviter_id = $2 and role <> all($3) or $4 and email = (select email from users where id = $2))
      returning id, email, role
    ),
    links as (delete from one_time_links where purpose = 'invitation' and subject in (select id from withdrawn))
    select id, email, role from withdrawn order by id`,
    [workspaceId, userId, stay, role === null],
  );
  await recordWithdrawn(client, by, workspaceId, rows);
}

export interface Withdrawn {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
}

export const recordWithdrawn = (
  client: pg.ClientBase,
  by: ActorContext,
  workspaceId: string,
  invitations: readonly Withdrawn[],
): Promise<void> =>
  appendEvents(
    client,
    by,
    invitations.map(({ id, email, role }) => ({
      workspaceId,
      event: { kind: 'invitation.withdrawn', target: { id, label: email }, details: { role } },
    })),
  );
