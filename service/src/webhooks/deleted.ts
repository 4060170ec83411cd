import type pg from 'pg';
import { CHUNK_ROWS, deleteInChunks } from '../database/delete-in-chunks.ts';
import { attemptsForEach } from '../database/errors.ts';
import { pagesOf } from '../database/pages.ts';
import { statement } from '../database/statement.ts';

const JOB = 'background: a job, which looks for deleted endpoints of all workspaces';
const ENDPOINTS_MAX = 100;

const selectDeleted = statement('deleted_endpoints', JOB)`
  select workspace_id as "workspaceId", id from webhook_endpoints
  where deleted_at is not null and (workspace_id, id) > ($1, $2) order by workspace_id, id limit ${ENDPOINTS_MAX}`;
// By their places, so that a row is found without a plan that depends on statistics. Nothing writes them any more.
const deleteRowsOf = (table: string): string => `
  delete from ${table} where workspace_id = $1 and ctid = any (array(
    select ctid from ${table} where workspace_id = $1 and endpoint_id = $2 limit ${CHUNK_ROWS}
  ))`;
const deleteDeliveries = statement(
  'delete_deliveries_of_deleted',
  JOB,
)`${deleteRowsOf('webhook_deliveries')}`;
const deleteAttempts = statement('delete_attempts_of_deleted', JOB)`${deleteRowsOf('webhook_attempts')}`;
const deleteEndpoints = statement('delete_endpoints', JOB)`
  delete from webhook_endpoints e where deleted_at is not null
    and not exists (select from webhook_deliveries where workspace_id = e.workspace_id and endpoint_id = e.id)
    and not exists (select from webhook_attempts where workspace_id = e.workspace_id and endpoint_id = e.id)`;

interface Endpoint {
  readonly workspaceId: string;
  readonly id: string;
}

/**
 * Removes the endpoints that people have deleted, with their deliveries, in short transactions. If it fails for one, it
 * removes the others, and throws at the end.
 */
export async function removeDeletedEndpoints(pool: pg.Pool, signal?: AbortSignal): Promise<void> {
  const attempts = attemptsForEach();
  const pages = pagesOf<Endpoint>(
    ENDPOINTS_MAX,
    (last) => pool.query(selectDeleted(last?.workspaceId ?? '', last?.id ?? '')),
    signal,
  );
  for await (const rows of pages) {
    for (const endpoint of rows)
      await attempts.of(`${endpoint.workspaceId} ${endpoint.id}`, () => deleteRows(pool, endpoint, signal));
  }
  if (signal?.aborted !== true) await pool.query(deleteEndpoints());
  attempts.end();
}

async function deleteRows(pool: pg.Pool, { workspaceId, id }: Endpoint, signal?: AbortSignal): Promise<void> {
  for (const deletion of [deleteDeliveries, deleteAttempts])
    await deleteInChunks(pool, deletion, [workspaceId, id], signal);
}
