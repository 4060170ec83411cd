import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Queryable } from '../database/lane.ts';
import type { InsertResult } from '../records/insert.ts';
import type { Batch } from './batches.ts';
import type { ImportEnd } from './import-log.ts';

/** A repeat may continue an import after its request has been inactive for this time. */
export const RUN_LEASE_SECONDS = 15;

/** The run of an import by one request, with the progress of earlier runs. A later request can continue the import. */
export interface ImportRun {
  readonly workspaceId: string;
  readonly importId: string;
  readonly runId: string;
  /** Records of the file, valid and refused, that earlier runs have processed. This run begins after them. */
  readonly recordsRead: number;
  /** SHA-256 of these records; null if there are none. */
  readonly digest: Buffer | null;
  readonly inserted: number;
  readonly existing: number;
  readonly refused: number;
  /** Whether the file was read to its end, so that nothing is left to do. */
  readonly finished: boolean;
}

/** Another run has taken over the import. Since then, this run has written nothing. */
export class ImportTakenOver extends Error {}

/** Begins a run of a new or unfinished import. Returns undefined while another run is active. */
export async function startRun(
  client: Queryable,
  workspaceId: string,
  importId: string,
): Promise<ImportRun | undefined> {
  const runId = randomUUID();
  const { rows } = await client.query<Omit<ImportRun, 'workspaceId' | 'importId' | 'runId'>>({
    name: 'start_import_run',
    text: `insert into imports as i (workspace_id, id, records, existing, refused, run_id, active_until)
      values ($1, $2, 0, 0, 0, $3, clock_timestamp() + $4 * interval '1 second')
      on conflict (workspace_id, id) do update set run_id = excluded.run_id, active_until = excluded.active_until
        where i.active_until is null or i.active_until < clock_timestamp()
      returning records as inserted, existing, refused, finished, records_read as "recordsRead", digest`,
    values: [workspaceId, importId, runId, RUN_LEASE_SECONDS],
  });
  return rows[0] && { workspaceId, importId, runId, ...rows[0] };
}

/** Prevents other runs for the next seconds. */
export async function renewRun(connections: Queryable, run: ImportRun): Promise<void> {
  await connections.query({
    name: 'renew_import_run',
    text: `update imports set active_until = clock_timestamp() + $4 * interval '1 second'
      where workspace_id = $1 and id = $2 and run_id = $3`,
    values: [run.workspaceId, run.importId, run.runId, RUN_LEASE_SECONDS],
  });
}

/** Ends a run at any position. Another run may begin at once. */
export async function endRun(connections: Queryable, run: ImportRun): Promise<void> {
  await connections.query({
    name: 'end_import_run',
    text: 'update imports set active_until = null where workspace_id = $1 and id = $2 and run_id = $3',
    values: [run.workspaceId, run.importId, run.runId],
  });
}

/** Stores that a batch is processed, in the transaction that writes its records. Throws ImportTakenOver. */
export async function advanceRun(
  client: pg.ClientBase,
  run: ImportRun,
  { recordsRead, digest, refused }: Batch,
  { existing, withoutCompany, notPast }: InsertResult,
): Promise<void> {
  const { rowCount } = await client.query({
    name: 'advance_import_run',
    text: `update imports set records_read = $4, digest = $5, existing = existing + $6, refused = refused + $7,
        active_until = clock_timestamp() + $8 * interval '1 second'
      where workspace_id = $1 and id = $2 and run_id = $3`,
    values: [
      run.workspaceId,
      run.importId,
      run.runId,
      recordsRead,
      digest,
      existing.length,
      refused.length + withoutCompany.length + notPast.length,
      RUN_LEASE_SECONDS,
    ],
  });
  if (rowCount === 0) throw new ImportTakenOver();
}

/** Stores whether the file was read to its end. Throws ImportTakenOver. */
export async function finishRun(client: Queryable, run: ImportRun, { finished }: ImportEnd): Promise<void> {
  const { rowCount } = await client.query({
    name: 'finish_import_run',
    text: 'update imports set finished = $4 where workspace_id = $1 and id = $2 and run_id = $3',
    values: [run.workspaceId, run.importId, run.runId, finished],
  });
  if (rowCount === 0) throw new ImportTakenOver();
}
