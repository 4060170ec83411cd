import { type Micros, timeOfMicros } from '@svc/exact-times/micros';
import type { PackedRow } from '@svc/packed-changes';
import type { Queryable } from '@svc/turns/lane';
import { lookUp } from '../database/look-up.ts';
import { type BoundStatement, preparedStatement, preparedStatements } from '../database/statement.ts';
import { microseconds } from '../database/utc.ts';

/** The most changes that a request with filters reads. */
export const CHANGES_SEARCHED_MAX = 1_000;
/** A page reads no further row once the rows before have this size. 100 of the largest records have less. */
const PAGE_BYTES_MAX = 8 * 1024 * 1024;

/** Where reading begins. */
export interface Start {
  readonly at: Micros;
  /** Whether a change at exactly this time is read too. */
  readonly inclusive: boolean;
}

interface RowsRead {
  readonly workspaceId: string;
  readonly ascending: boolean;
  /** Undefined: at the end of the feed. */
  readonly start: Start | undefined;
  /** No further row is read once the rows before have so many changes. */
  readonly changes: number;
  readonly searches: boolean;
}

/** Rows of the feed in the order of reading, and the two ends of the feed in the same snapshot. */
export interface FeedRows {
  readonly rows: readonly Pick<PackedRow, 'lastAt' | 'type' | 'items'>[];
  /** Whether there may be more rows in this direction. */
  readonly stopped: boolean;
  /** The time of the newest change, or that of `completeAfter`. 0: there was no change yet. */
  readonly newest: Micros;
  /** The feed has every change after this time. */
  readonly completeAfter: Micros;
}

/**
 * Whether the feed cannot be read from a place towards newer changes: changes after it are missing, or it is later than the
 * newest change, because it is from before the database was restored.
 */
export const isExpired = (
  at: Micros,
  { newest, completeAfter }: Pick<FeedRows, 'newest' | 'completeAfter'>,
) => at < completeAfter || at > newest;

const pageRows = preparedStatements('page_changes', 'request');
/** It also reads rows that the filters leave out, so it is not among the short statements of the pipeline. */
const searchedRows = preparedStatements('search_changes', 'bulk');

const micros = (time: string): string => `coalesce(${microseconds(time)}, 0)`;

interface Row {
  readonly complete: number;
  readonly newest: number;
  /** Null: there are no rows. */
  readonly at: number | null;
  readonly type: string;
  readonly items: Buffer;
  readonly changes: number;
  readonly bytes: number;
}

/** Reads whole rows from a place on. Those at the start may also have changes before the place. */
export async function readRows(connections: Queryable, read: RowsRead): Promise<FeedRows> {
  const { workspaceId, start, changes } = read;
  const place = start === undefined ? [] : [timeOfMicros(start.at)];
  const select = rowsStatement(read);
  const { rows } = await connections.query<Row>(select(workspaceId, changes, PAGE_BYTES_MAX, ...place));
  const [first] = rows;
  if (first === undefined) throw new Error('The statement of the changes returned no row.');
  const found = rows.filter(({ at }) => at !== null);
  const last = found.at(-1);
  return {
    rows: found.map(({ at, type, items }) => ({ lastAt: at ?? 0, type, items })),
    stopped: last !== undefined && (last.changes >= changes || last.bytes >= PAGE_BYTES_MAX),
    newest: Math.max(first.newest, first.complete),
    completeAfter: first.complete,
  };
}

function rowsStatement({ ascending, start, searches }: RowsRead): BoundStatement {
  const name = `${searches ? 'search' : 'page'}_changes_${ascending ? 'up' : 'down'}${start ? '_from' : ''}`;
  return (searches ? searchedRows : pageRows)(name, rowsText(ascending, start !== undefined));
}

/**
 * Descending, the row that contains the place ends after it: it is the first one that does not end before it. The running
 * sums do not read the items, so only the items of the rows that are returned are read.
 */
function rowsText(ascending: boolean, hasStart: boolean): string {
  const order = ascending ? 'asc' : 'desc';
  const containing = `select last_at from changes where workspace_id = $1 and last_at >= $4::timestamptz order by last_at limit 1`;
  const range = ascending
    ? 'last_at >= $4::timestamptz'
    : `last_at <= coalesce((${containing}), $4::timestamptz)`;
  return `select feed.*, read.* from (select
  ${micros('(select complete_after from feed_starts where workspace_id = $1)')} as complete,
  ${micros('(select last_at from changes where workspace_id = $1 order by last_at desc limit 1)')} as newest
) feed left join (
  select ${microseconds('last_at')} as at, type, items, number, changes, bytes from (
    select last_at, type, items, row_number() over w as number,
      (sum(changes) over w)::int as changes, (sum(bytes) over w)::int as bytes,
      sum(changes) over w - changes as changes_before, sum(bytes) over w - bytes as bytes_before
    from (
      select last_at, type, changes, bytes, items from changes where workspace_id = $1${hasStart ? ` and ${range}` : ''}
      order by last_at ${order} limit $2
    ) ranged window w as (order by last_at ${order} rows unbounded preceding)
  ) summed where changes_before < $2 and bytes_before < $3
) read on true order by number`;
}

const selectNewest = preparedStatement('newest_change', 'request')`
  select greatest(
    ${micros('(select last_at from changes where workspace_id = $1 order by last_at desc limit 1)')},
    ${micros('(select complete_after from feed_starts where workspace_id = $1)')}) as newest`;

/** The time of the newest change, or that after which the feed is complete. 0: there was no change yet. */
export async function readNewest(connections: Queryable, workspaceId: string): Promise<Micros> {
  const { rows } = await connections.query<{ newest: Micros }>(selectNewest(workspaceId));
  return rows[0]?.newest ?? 0;
}

const selectRecords = preparedStatements('changed_records', 'request');
const searchRecords = preparedStatements('searched_records', 'bulk');

/** The JSON of records by their ids. */
export async function readDocs(
  connections: Queryable,
  workspaceId: string,
  relation: string,
  ids: readonly string[],
  searches: boolean,
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const name = `${searches ? 'searched' : 'changed'}_${relation}`;
  const text = `select wanted.id, found.doc from unnest($2::text[]) as wanted (id) cross join lateral (
      ${lookUp({ select: 'doc', from: relation, key: 'wanted.id' })}) found`;
  const select = (searches ? searchRecords : selectRecords)(name, text);
  const { rows } = await connections.query<{ id: string; doc: string }>(select(workspaceId, ids));
  return new Map(rows.map(({ id, doc }) => [id, doc]));
}
