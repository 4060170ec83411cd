import { randomUUID } from 'node:crypto';
import type { Queryable } from '@svc/turns/lane';
import type pg from 'pg';
import { appendEvent } from '../audit-log/append-event.ts';
import { preparedStatement, statement } from '../database/statement.ts';
import { aboutRecords } from '../records/entry-fields.ts';
import type { Replacement } from '../records/replace.ts';
import type { Resource } from '../resources/define.ts';
import type { Batch } from './batches.ts';
import type { BatchResult, ImportTarget } from './target.ts';

/** The state of an import in the database (table `imports`): its counts for the audit log, and how far it has come. */

/** The result of an import, for its audit entry. */
export interface ImportEnd {
  readonly inserted: number;
  readonly existing: number;
  readonly refused: number;
  /** Whether the file was read to its end. */
  readonly finished: boolean;
}

const countImported = statement('count_imported_records', 'request')`
  insert into imports as i (workspace_id, id, records, last_at) values ($1, $2, $3, clock_timestamp())
  on conflict (workspace_id, id) do update set records = i.records + excluded.records, last_at = excluded.last_at
  returning records`;

/**
 * Adds to the count of imported records, and stores when that was, in the transaction that writes them. The first call of an
 * import also writes its audit entry. Call it last in a transaction, because it locks the clock of the log.
 */
export async function logImport(
  client: pg.ClientBase,
  { workspaceId, resource, by, importId, fileName = '' }: ImportTarget,
  records: number,
): Promise<void> {
  if (records === 0) return;
  const { rows } = await client.query<{ records: number }>(countImported(workspaceId, importId, records));
  if (rows[0]?.records !== records) return;
  await appendEvent(client, workspaceId, by, {
    kind: 'records.imported',
    target: { id: importId, label: fileName },
    resource: resource.name,
  });
}

/** Writes the audit entry about the records that a batch has replaced. */
export async function logReplacement(
  client: pg.ClientBase,
  { workspaceId, resource, by }: ImportTarget,
  { recordIds, changed }: Replacement,
): Promise<void> {
  if (recordIds.length === 0) return;
  await appendEvent(client, workspaceId, by, {
    kind: 'records.changed',
    ...aboutRecords(resource, recordIds),
    changes: changed.map((field) => ({ field })),
  });
}

const addEvent = `
  insert into pending_events (workspace_id, id, type, record_id, doc)
  select $1, id, 'import.finished', id, json_build_object('id', id, 'resource', resource, 'added', records,
    'existing', existing, 'refused', refused, 'finished', finished)`;

const completeImport = statement('complete_import', 'request')`
  with ended as (
    update imports set existing = $3, refused = $4, finished = $5 where workspace_id = $1 and id = $2
    returning *, $6::text as resource
  ) ${addEvent} from ended`;

/** Completes the audit entry of an import, and adds its event. An import without new records has neither. */
export async function finishImport(
  client: Queryable,
  { workspaceId, importId, resource }: ImportTarget,
  { existing, refused, finished }: ImportEnd,
): Promise<void> {
  await client.query(completeImport(workspaceId, importId, existing, refused, finished, resource.name));
}

/** A repeat may continue an import after its request has been inactive for this time. */
export const RUN_LEASE_SECONDS = 15;
// Citus refuses clock_timestamp() in the values of an update. A statement that waits for its lock has a shorter lease.
const LEASE_END = `statement_timestamp() + ${RUN_LEASE_SECONDS} * interval '1 second'`;

/** The run of an import by one request, with the progress of earlier runs. A later request can continue the import. */
export interface ImportRun {
  readonly workspaceId: string;
  readonly importId: string;
  readonly runId: string;
  /** Records of the file, valid and refused, that earlier runs have processed. This run begins after them. */
  readonly recordsRead: number;
  /** SHA-256 of these records. Null: there are none. */
  readonly digest: Buffer | null;
  readonly inserted: number;
  readonly existing: number;
  readonly refused: number;
  /** Whether the file was read to its end, so that nothing is left to do. */
  readonly finished: boolean;
}

/** Another run has taken over the import. Since then, this run has written nothing. */
export class ImportTakenOver extends Error {}

const insertRun = preparedStatement('start_import_run', 'request')`
  insert into imports as i (workspace_id, id, records, existing, refused, run_id, active_until)
  values ($1, $2, 0, 0, 0, $3, ${LEASE_END})
  on conflict (workspace_id, id) do update set run_id = excluded.run_id, active_until = excluded.active_until
    where i.active_until is null or i.active_until < excluded.created_at
  returning records as inserted, existing, refused, finished, records_read as "recordsRead", digest`;

/** Begins a run of a new or unfinished import. Returns undefined while another run is active. */
export async function startRun(
  client: Queryable,
  workspaceId: string,
  importId: string,
): Promise<ImportRun | undefined> {
  const runId = randomUUID();
  const { rows } = await client.query<Omit<ImportRun, 'workspaceId' | 'importId' | 'runId'>>(
    insertRun(workspaceId, importId, runId),
  );
  return rows[0] && { workspaceId, importId, runId, ...rows[0] };
}

const OF_RUN = 'where workspace_id = $1 and id = $2 and run_id = $3';
const keyOf = ({ workspaceId, importId, runId }: ImportRun) => [workspaceId, importId, runId] as const;

const renewLease = preparedStatement('renew_import_run', 'request')`
  update imports set active_until = ${LEASE_END} ${OF_RUN}`;
const endLease = preparedStatement('end_import_run', 'request')`
  update imports set active_until = null ${OF_RUN}`;
const addBatch = preparedStatement('advance_import_run', 'request')`
  update imports set records_read = $4, digest = $5, existing = existing + $6, refused = refused + $7, active_until = ${LEASE_END}
  ${OF_RUN}`;

/** Prevents other runs for RUN_LEASE_SECONDS, unless another run has taken over the import. */
export async function renewRun(connections: Queryable, run: ImportRun): Promise<void> {
  await connections.query(renewLease(...keyOf(run)));
}

/** Ends a run, at any position of the file. Another run may begin at once. */
export async function endRun(connections: Queryable, run: ImportRun): Promise<void> {
  await connections.query(endLease(...keyOf(run)));
}

/** Stores that a batch is processed, in the transaction that writes its records. Throws ImportTakenOver. */
export async function advanceRun(
  client: pg.ClientBase,
  run: ImportRun,
  { recordsRead, digest, refused }: Batch,
  { existing, withoutCompany, notPast, replacement }: BatchResult,
): Promise<void> {
  const refusals = refused.length + withoutCompany.length + notPast.size + (replacement?.refused.size ?? 0);
  const batch = addBatch(...keyOf(run), recordsRead, digest, existing.length, refusals);
  if ((await client.query(batch)).rowCount !== 1) throw new ImportTakenOver();
}

const completeRun = preparedStatement('finish_import_run', 'request')`
  with run as (
    update imports set finished = $4 where workspace_id = $1 and id = $2 and run_id = $3 returning *, $5::text as resource
  ), event as (${addEvent} from run where finished and records > 0)
  select from run`;

/** Stores whether the file was read to its end, then adds the event if there are new records. Throws ImportTakenOver. */
export async function finishRun(
  client: Queryable,
  { workspaceId, importId, runId }: ImportRun,
  resource: Resource,
  { finished }: ImportEnd,
): Promise<void> {
  const { rowCount } = await client.query(completeRun(workspaceId, importId, runId, finished, resource.name));
  if (rowCount !== 1) throw new ImportTakenOver();
}

/** The file differs from the one that the import began with. Nothing of this file is written. */
export class OtherFile extends Error {
  /** Records that the import has added. */
  readonly inserted: number;

  constructor(inserted: number) {
    super('The file is not the one that the import began with.');
    this.inserted = inserted;
  }
}

/** Whether earlier runs have processed the batch. Throws OtherFile if the file differs up to this batch. */
export function isProcessed({ recordsRead, digest, inserted, finished }: ImportRun, batch: Batch): boolean {
  if (batch.recordsRead < recordsRead) return true;
  if (batch.recordsRead > recordsRead) {
    if (finished) throw new OtherFile(inserted);
    return false;
  }
  if (digest === null || batch.digest?.equals(digest) !== true) throw new OtherFile(inserted);
  return true;
}
