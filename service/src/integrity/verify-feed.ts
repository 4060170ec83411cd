import { hash } from 'node:crypto';
import { type Micros, timeOfMicros } from '@svc/exact-times/micros';
import { type Change, type PackedRow, unpackRow } from '@svc/packed-changes';
import type pg from 'pg';
import { resourceOf } from '../changes/scan.ts';
import { pagesOf } from '../database/pages.ts';
import { statement, statements } from '../database/statement.ts';
import { microseconds, plusMicroseconds } from '../database/utc.ts';
import type { Resource } from '../resources/define.ts';
import { RECORD_RESOURCES } from '../resources/index.ts';
import { type VerifyOptions, withoutStatementTimeout } from './finding.ts';

/** Rows of the feed, and records, that one statement reads. */
const BATCH_ROWS = 200;
const BATCH_RECORDS = 5_000;
/** Records whose last change is in memory. A feed with more is read several times, each time for a part of the records. */
const RECORDS_AT_ONCE = 200_000;

/** The last change of a record: a hash of its JSON. Null: it was deleted. Undefined: the feed does not contain the JSON. */
type LastChange = string | null | undefined;

interface FeedRow extends Pick<PackedRow, 'lastAt' | 'type' | 'items'> {
  readonly changes: number;
}

interface Compared {
  /** The feed has every change after this time. */
  readonly start: Micros;
  readonly last: ReadonlyMap<string, LastChange>;
  readonly isInPart: (id: string) => boolean;
}

const readOnly = statement(
  'read_one_snapshot',
  'control',
)`set transaction isolation level repeatable read, read only`;
const selectFeed = statement('verify_feed', 'request')`
  select ${microseconds(`coalesce((select complete_after from feed_starts where workspace_id = $1), 'epoch')`)} as start`;
const sumFeed = statement('verify_feed_size', 'bulk')`
  select coalesce(sum(changes), 0)::float8 as changes from changes where workspace_id = $1`;
const selectRows = statement('verify_feed_rows', 'bulk')`
  select ${microseconds('last_at')} as "lastAt", type, changes, items from changes
  where workspace_id = $1 and last_at > $2 order by last_at limit ${BATCH_ROWS}`;
const selectDocs = statements('verify_changed_records', 'bulk');
const restartFeed = statement('restart_feed', 'request')`
  with clock as (
    update workspace_clocks set last_at = greatest(statement_timestamp(), ${plusMicroseconds('last_at', 1)},
      (select max(last_at) from changes where workspace_id = $1))
    where workspace_id = $1 returning workspace_id, last_at
  )
  insert into feed_starts (workspace_id, complete_after) select workspace_id, last_at from clock
  on conflict (workspace_id) do update set complete_after = greatest(feed_starts.complete_after, excluded.complete_after)`;

/**
 * Compares the feed of a workspace with its records, in one snapshot: each record is as its last change says, and each
 * record that was created since the feed is complete has a change. The repair makes all positions expire, so that readers
 * start over.
 */
export async function verifyFeed(
  { pool, repair, onFinding }: VerifyOptions,
  workspaceId: string,
): Promise<void> {
  const details = await withoutStatementTimeout(pool, async (client) => {
    await client.query(readOnly());
    return differences(client, workspaceId);
  });
  if (repair && details.length > 0) {
    await withoutStatementTimeout(pool, (client) => client.query(restartFeed(workspaceId)));
  }
  for (const detail of details) await onFinding({ workspaceId, problem: 'feed', detail, repaired: repair });
}

async function differences(client: pg.ClientBase, workspaceId: string): Promise<readonly string[]> {
  const { rows: starts } = await client.query<{ start: number }>(selectFeed(workspaceId));
  const { rows: sizes } = await client.query<{ changes: number }>(sumFeed(workspaceId));
  const start = starts[0]?.start ?? 0;
  const parts = Math.ceil((sizes[0]?.changes ?? 0) / RECORDS_AT_ONCE) || 1;
  const found: string[] = [];
  for (let part = 0; part < parts; part++) {
    const isInPart = (id: string): boolean => parts === 1 || partOf(id, parts) === part;
    const changed = await lastChanges(client, workspaceId, start, isInPart, part === 0 ? found : []);
    for (const resource of RECORD_RESOURCES) {
      const last = changed.get(resource.name) ?? new Map<string, LastChange>();
      found.push(...(await compareRecords(client, workspaceId, resource, { start, last, isInPart })));
    }
  }
  return found;
}

const partOf = (id: string, parts: number): number => hash('sha256', id, 'buffer').readUInt32BE() % parts;
const digest = (doc: string): string => hash('sha256', doc, 'base64');

/** The last change of each record, by resource and id. Adds rows that cannot be read to `found`. */
async function lastChanges(
  client: pg.ClientBase,
  workspaceId: string,
  start: number,
  isInPart: (id: string) => boolean,
  found: string[],
): Promise<ReadonlyMap<string, Map<string, LastChange>>> {
  const last = new Map<string, Map<string, LastChange>>();
  const pages = pagesOf<FeedRow>(BATCH_ROWS, (row) =>
    client.query(selectRows(workspaceId, timeOfMicros(row?.lastAt ?? start))),
  );
  let previous = 0;
  for await (const rows of pages) {
    for (const row of rows) {
      const changes = unpacked(row);
      const rises = changes.every(({ at }, i) => at > (changes[i - 1]?.at ?? previous));
      const isSound = changes.length === row.changes && rises && changes.at(-1)?.at === row.lastAt;
      if (!isSound) found.push(`a row until ${timeOfMicros(row.lastAt)} cannot be read`);
      for (const { at, type, recordId, doc } of changes) {
        if (at <= start || !isInPart(recordId)) continue;
        const resource = resourceOf(type);
        const ofResource = last.get(resource) ?? new Map<string, LastChange>();
        last.set(resource, ofResource.set(recordId, doc == null ? doc : digest(doc)));
      }
      previous = row.lastAt;
    }
  }
  return last;
}

/** The changes of a row. Empty: it cannot be read. */
function unpacked(row: FeedRow): readonly Change[] {
  try {
    return unpackRow(row);
  } catch {
    return [];
  }
}

/** Compares the records of a resource with their last changes. */
async function compareRecords(
  client: pg.ClientBase,
  workspaceId: string,
  { singular, list }: Resource,
  { start, last, isInPart }: Compared,
): Promise<readonly string[]> {
  const found: string[] = [];
  const select = selectDocs(
    `feed_docs_of_${list.relation}`,
    `select id, doc, ${microseconds('created_at')} as "createdAt" from ${list.relation}
     where workspace_id = $1 and id > $2 order by id limit $3`,
  );
  const missing = new Map(last);
  const pages = pagesOf<{ id: string; doc: string; createdAt: number }>(BATCH_RECORDS, (row) =>
    client.query(select(workspaceId, row?.id ?? '', BATCH_RECORDS)),
  );
  for await (const rows of pages) {
    for (const { id, doc, createdAt } of rows.filter((row) => isInPart(row.id))) {
      const expected = last.get(id);
      missing.delete(id);
      if (!last.has(id)) {
        if (createdAt > start) found.push(`${singular} ${id}: is not in the feed`);
      } else if (expected !== undefined && expected !== digest(doc)) {
        found.push(`${singular} ${id}: differs from its last change`);
      }
    }
  }
  for (const [id, doc] of missing) {
    if (doc !== null) found.push(`${singular} ${id}: is in the feed and does not exist`);
  }
  return found;
}
