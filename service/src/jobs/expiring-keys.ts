import type { ApiKey } from '@svc/sdk';
import type pg from 'pg';
import { addWorkspaceEvent } from '../changes/events.ts';
import { lookUp } from '../database/look-up.ts';
import { inTransaction } from '../database/pool.ts';
import { statement } from '../database/statement.ts';
import { API_KEY_RECORDS } from '../resources/views.ts';

/** How long before its expiry date a workspace is warned of a key. */
const WARNING = '7 days';
/** Keys that one call warns of. The next call warns of the rest. */
const KEYS_MAX = 500;

const JOB = 'background: keys of all workspaces that expire soon';

const selectExpiring = statement('expiring_keys', JOB)`
  select workspace_id as "workspaceId", id, expires_at::text as "expiresAt" from api_keys
  where revoked_at is null and expires_at > now() and expires_at <= now() + interval '${WARNING}'
    and warned_of is distinct from expires_at
  order by expires_at limit ${KEYS_MAX}`;

/** Adding the event locks the row of the workspace too. */
const lockWorkspace = statement('lock_free_workspace', JOB)`
  select 1 from workspaces where id = $1 for key share skip locked`;

const lockKey = statement('lock_expiring_key', JOB)`
  select 1 from api_keys where workspace_id = $1 and id = $2 and expires_at = $3
    and revoked_at is null and warned_of is distinct from $3 for update skip locked`;

const noteWarning = statement('note_expiring_key', JOB)`
  update api_keys set warned_of = $3 where workspace_id = $1 and id = $2`;

const selectKey = statement('expiring_key', JOB)`
  ${lookUp({ select: 'doc::json as key', from: API_KEY_RECORDS })}`;

interface ExpiringKey {
  readonly workspaceId: string;
  readonly id: string;
  readonly expiresAt: string;
}

/**
 * Adds an event for each key that expires within seven days, once for each expiry date of a key. The note and the event are
 * committed together, so several nodes may run it at the same time, and a node may be killed. It waits for no lock: the next
 * call warns of a key that is locked now, or whose workspace is.
 */
export async function warnOfExpiringKeys(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<ExpiringKey>(selectExpiring());
  for (const { workspaceId, id, expiresAt } of rows) {
    await inTransaction(pool, async (client) => {
      for (const lock of [lockWorkspace(workspaceId), lockKey(workspaceId, id, expiresAt)])
        if ((await client.query(lock)).rowCount === 0) return;
      await client.query(noteWarning(workspaceId, id, expiresAt));
      const { rows: found } = await client.query<{ key: ApiKey }>(selectKey(workspaceId, id));
      const [row] = found;
      if (row === undefined) return;
      const { companyId } = row.key;
      await addWorkspaceEvent(client, workspaceId, {
        type: 'key.expiring',
        recordId: id,
        companyId,
        record: row.key,
      });
    });
  }
}
