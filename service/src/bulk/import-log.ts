import type pg from 'pg';
import { appendEvent } from '../audit-log/append-event.ts';
import type { ImportTarget } from './target.ts';

/**
 * Adds to the count of imported records, in the transaction that writes them. The first call of an import also writes its
 * audit entry. Call it last in a transaction, because it locks the clock of the log.
 */
export async function logImport(
  client: pg.ClientBase,
  { workspaceId, resource, by, importId, fileName }: ImportTarget,
  records: number,
): Promise<void> {
  if (records === 0) return;
  const { rows } = await client.query<{ records: number }>(
    `insert into imports as i (workspace_id, id, records) values ($1, $2, $3)
     on conflict (workspace_id, id) do update set records = i.records + excluded.records returning records`,
    [workspaceId, importId, records],
  );
  if (rows[0]?.records !== records) return;
  await appendEvent(client, workspaceId, by, {
    kind: 'records.imported',
    target: { id: importId, label: fileName ?? '' },
    resource: resource.name,
  });
}

/** The result of an import, for its audit entry. */
export interface ImportEnd {
  readonly inserted: number;
  readonly existing: number;
  readonly refused: number;
  /** Whether the file was read to its end. */
  readonly finished: boolean;
}

/** Completes the entry of an import. An import without new records has no entry. */
export async function finishImport(
  client: pg.ClientBase,
  { workspaceId, importId }: ImportTarget,
  { existing, refused, finished }: ImportEnd,
): Promise<void> {
  await client.query(
    'update imports set existing = $3, refused = $4, finished = $5 where workspace_id = $1 and id = $2',
    [workspaceId, importId, existing, refused, finished],
  );
}
