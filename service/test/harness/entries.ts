import type { AuditLogEntry } from '@svc/sdk';
import type pg from 'pg';

/** The audit entries of requests in a workspace, oldest first, without those that a test has seeded. */
export async function requestEntries(pool: pg.Pool, workspaceId: string): Promise<readonly AuditLogEntry[]> {
  const { rows } = await pool.query<{ entry: AuditLogEntry }>(
    `select doc::json as entry from audit_log
     where workspace_id = $1 and kind = 'api.request' and not starts_with(id, 'log_seed_') order by created_at, id`,
    [workspaceId],
  );
  return rows.map(({ entry }) => entry);
}

/** The audit entries of the requests that the work sends. */
export async function newRequestEntries(
  pool: pg.Pool,
  workspaceId: string,
  work: () => Promise<unknown>,
): Promise<readonly AuditLogEntry[]> {
  const before = await requestEntries(pool, workspaceId);
  await work();
  return (await requestEntries(pool, workspaceId)).slice(before.length);
}
