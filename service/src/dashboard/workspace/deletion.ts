import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { ActorContext } from '../../audit-log/actor.ts';
import { appendEvent, lockLogForKeys } from '../../audit-log/append-event.ts';
import { allocateTimestamps } from '../../changes/clock.ts';
import { statement } from '../../database/statement.ts';
import { utc } from '../../database/utc.ts';
import { ApiError } from '../../http/errors.ts';
import type { DashboardContext } from '../context.ts';
import { WORKSPACE_RESTORE_DAYS } from '../limits.ts';
import { changeMembers } from '../people/accounts.ts';
import { defineBody, emptyBody, text } from '../requests/body.ts';
import { noWorkspace } from '../requests/session.ts';
import type { DeletedWorkspace } from '../wire.ts';

const removal = defineBody({ name: text });

/** SQL: when the data of a deleted workspace is removed. Names columns of `workspaces w`. */
export const REMOVED_AT = utc(`(w.deleted_at + ${WORKSPACE_RESTORE_DAYS} * interval '1 day')`);

/** An owner deletes a workspace, and restores it while its data is still stored (jobs/remove-workspaces.ts). */
export function registerDeletion(api: FastifyInstance, { auth, sessions, signals }: DashboardContext): void {
  api.delete('/workspaces/:workspaceId', async (request, reply): Promise<DeletedWorkspace> => {
    const access = await sessions.member(request, reply, 'deletion.manage');
    const { workspaceId, by } = access;
    const typed = removal(request.body).name;
    const deleted = await changeMembers(auth, access, async (client) => {
      const { name } = await readName(client, workspaceId);
      if (typed !== name) {
        throw new ApiError(
          'invalid_body',
          '"name" must be the name of the workspace, exactly as it is shown.',
        );
      }
      const { rowCount } = await client.query(markDeleted(workspaceId));
      if (rowCount === 0) throw noWorkspace();
      await setSuspended(client, workspaceId, true);
      const target = { id: workspaceId, label: name };
      await appendEvent(client, workspaceId, by, { kind: 'workspace.deleted', target });
      return readName(client, workspaceId);
    });
    signals.announceKeys(workspaceId);
    request.log.info({ workspaceId, removedAt: deleted.removedAt }, 'a workspace was deleted');
    return { id: workspaceId, role: access.role, ...deleted };
  });

  api.post('/workspaces/:workspaceId/restore', async (request, reply) => {
    const access = await sessions.member(request, reply, 'deletion.manage', 'deleted');
    emptyBody(request.body);
    const { workspaceId, by } = access;
    await changeMembers(auth, access, async (client) => {
      if (!(await restoreWorkspace(client, workspaceId, by))) throw noWorkspace();
    });
    signals.announceKeys(workspaceId);
    return reply.code(204).send();
  });
}

/**
 * Restores a deleted workspace, with an entry in its log. Returns false, and changes nothing, if it is not deleted, or was
 * deleted more than seven days ago. The caller has locked the members.
 */
export async function restoreWorkspace(
  client: pg.ClientBase,
  workspaceId: string,
  by: ActorContext,
): Promise<boolean> {
  const { rowCount } = await client.query(markRestored(workspaceId, WORKSPACE_RESTORE_DAYS));
  if (rowCount === 0) return false;
  const { name } = await readName(client, workspaceId);
  await setSuspended(client, workspaceId, false);
  const target = { id: workspaceId, label: name };
  await appendEvent(client, workspaceId, by, { kind: 'workspace.restored', target });
  return true;
}

const selectName = statement('name_and_removal', 'request')`
  select w.name, ${REMOVED_AT} as "removedAt" from workspaces w where w.id = $1`;

async function readName(
  client: pg.ClientBase,
  workspaceId: string,
): Promise<Pick<DeletedWorkspace, 'name' | 'removedAt'>> {
  const { rows } = await client.query<Pick<DeletedWorkspace, 'name' | 'removedAt'>>(selectName(workspaceId));
  const [workspace] = rows;
  if (workspace === undefined) throw noWorkspace();
  return workspace;
}

/** Not before the newest record: the seven days must not be over as soon as a clock that was behind is corrected. */
const markDeleted = statement('mark_workspace_deleted', 'request')`
  update workspaces set deleted_at = greatest((select clock_timestamp()), (
    select last_at from workspace_clocks where workspace_id = $1)) where id = $1 and deleted_at is null`;
const markRestored = statement('mark_workspace_restored', 'request')`
  update workspaces set deleted_at = null
  where id = $1 and deleted_at > (select clock_timestamp()) - $2 * interval '1 day'`;
const suspendEndpoints = statement('suspend_endpoints', 'request')`
  update webhook_endpoints set enabled = false, disabled_reason = 'workspace' where workspace_id = $1 and enabled`;
const resumeEndpoints = statement('resume_endpoints', 'request')`
  update webhook_endpoints set enabled = true, disabled_reason = null, failing_since = null
  where workspace_id = $1 and not enabled and disabled_reason = 'workspace'`;

/**
 * Stops or resumes the webhooks of a workspace, and lets the requests of its keys see the new state of the workspace. No key
 * changes, because there may be many. It locks as those who create keys do: the clock, then the endpoints and the log.
 */
async function setSuspended(client: pg.ClientBase, workspaceId: string, suspended: boolean): Promise<void> {
  await allocateTimestamps(client, workspaceId, 1);
  await client.query((suspended ? suspendEndpoints : resumeEndpoints)(workspaceId));
  await lockLogForKeys(client, workspaceId);
}
