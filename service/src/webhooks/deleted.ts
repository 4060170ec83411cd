import type pg from 'pg';
import { statement } from '../database/statement.ts';

const JOB = 'background: a job, which looks for deleted endpoints of all workspaces';
/** The most rows that one statement deletes, so that it is short. */
const ROWS_MAX = 1_000;

// By their places, so that a row is found without a plan that depends on statistics. Nothing writes them any more.
const deleteRowsOf = (table: string): string => `
  delete from ${table} where ctid = any (array(
    select row.place from webhook_endpoints e cross join lateral (
      select ctid as place from ${table} where workspace_id = e.workspace_id and endpoint_id = e.id limit ${ROWS_MAX}
    ) row where e.deleted_at is not null limit ${ROWS_MAX}
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

/** Removes the endpoints that people have deleted, with their deliveries, in short transactions. */
export async function removeDeletedEndpoints(pool: pg.Pool, signal?: AbortSignal): Promise<void> {
  for (const deletion of [deleteDeliveries, deleteAttempts]) {
    while (signal?.aborted !== true) {
      const { rowCount } = await pool.query(deletion());
      if ((rowCount ?? 0) < ROWS_MAX) break;
    }
  }
  if (signal?.aborted !== true) await pool.query(deleteEndpoints());
}
