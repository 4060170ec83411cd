import type { ApiKey } from '@svc/sdk';
import { createRounds, type Outcome } from '@svc/turns/rounds';
import type pg from 'pg';
import { addWorkspaceEvent } from '../changes/events.ts';
import { limitAgain } from '../changes/publish-events.ts';
import { failedWork } from '../database/errors.ts';
import { lookUp } from '../database/look-up.ts';
import { inTransaction } from '../database/pool.ts';
import { statement } from '../database/statement.ts';
import { API_KEY_RECORDS } from '../resources/views.ts';

/** How long before its expiry date a workspace is warned of a key. */
const WARNING = '7 days';
/** The most keys that one statement looks up. */
const KEYS_MAX = 500;

const JOB = 'background: keys of all workspaces that expire soon';

const selectExpiring = statement('expiring_keys', JOB)`
  select concat(workspace_id, ' ', id) as name from api_keys
  where revoked_at is null and expires_at > now() and expires_at <= now() + interval '${WARNING}'
    and warned_of is distinct from expires_at and (workspace_id, id) > ($1, $2)
  order by workspace_id, id limit ${KEYS_MAX}`;

/** Adding the event locks the row of the workspace too. */
const lockWorkspace = statement('lock_free_workspace', JOB)`
  select 1 from workspaces where id = $1 for key share skip locked`;

const lockKey = statement('lock_expiring_key', JOB)`
  select 1 from api_keys where workspace_id = $1 and id = $2 and revoked_at is null and expires_at > now()
    and expires_at <= now() + interval '${WARNING}' and warned_of is distinct from expires_at for update skip locked`;

const noteWarning = statement('note_expiring_key', JOB)`
  update api_keys set warned_of = expires_at where workspace_id = $1 and id = $2`;

const selectKey = statement('expiring_key', JOB)`
  ${lookUp({ select: 'doc::json as key', from: API_KEY_RECORDS })}`;

/**
 * Adds an event for each key that expires within seven days, once for each expiry date of a key. The note and the event are
 * committed together, so several nodes may run it at the same time, and a node may be killed. It waits for no lock: the next
 * call warns of a key that is locked now, or whose workspace is. `rounds`: what earlier calls of this process know of the
 * keys. It calls `onFailure` for each that fails; it throws if the database is away.
 */
export async function warnOfExpiringKeys(
  pool: pg.Pool,
  onFailure: (error: unknown, key: string) => unknown = () => undefined,
  rounds = createRounds(),
): Promise<void> {
  const partsOf = (name: string): readonly [string, string] => {
    const [workspaceId = '', id = ''] = name.split(' ');
    return [workspaceId, id];
  };
  await rounds.run({
    ownersAfter: async (last) =>
      (await pool.query<{ name: string }>(selectExpiring(...partsOf(last)))).rows.map(({ name }) => name),
    attempt: (name) => warn(pool, ...partsOf(name)),
    failed: failedWork(onFailure),
  });
}

const warn = (pool: pg.Pool, workspaceId: string, id: string): Promise<Outcome> =>
  inTransaction(pool, async (client) => {
    await client.query(limitAgain());
    for (const lock of [lockWorkspace(workspaceId), lockKey(workspaceId, id)])
      if ((await client.query(lock)).rowCount === 0) return 'busy';
    await client.query(noteWarning(workspaceId, id));
    const { rows } = await client.query<{ key: ApiKey }>(selectKey(workspaceId, id));
    for (const { key } of rows)
      await addWorkspaceEvent(client, workspaceId, {
        type: 'key.expiring',
        recordId: id,
        companyId: key.companyId,
        record: key,
      });
    return 'done';
  });
