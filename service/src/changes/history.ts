import { type Micros, timeOfMicros } from '@svc/exact-times/micros';
import { type Change, type PackedRow, unpackRecord, unpackRow } from '@svc/packed-changes';
import type { Queryable } from '@svc/turns/lane';
import { SEARCHED_ROWS_MAX } from '../config/limits.ts';
import { statement } from '../database/statement.ts';
import { microseconds } from '../database/utc.ts';
import type { Start } from './rows.ts';

/** A search unpacks no further row once the rows before have this size. */
const UNPACKED_MAX_BYTES = 8 * 1024 * 1024;

interface HistorySearch {
  readonly workspaceId: string;
  readonly recordId: string;
  /** The types of changes of the record's resource. */
  readonly types: readonly string[];
  /** Undefined: at the newest change. */
  readonly start: Start | undefined;
  /** The search ends when it has found so many changes. */
  readonly limit: number;
  /** The most rows of the feed to read. Default: SEARCHED_ROWS_MAX. */
  readonly rows?: number;
}

export interface FoundChanges {
  /** Newest first. */
  readonly changes: readonly Change[];
  /** The time of the last change that was read. Undefined: none was read. */
  readonly searchedTo: Micros | undefined;
  /** Whether the search ended because it may not read more, so that there can be more changes. */
  readonly stopped: boolean;
}

// The row that contains the start ends after it: it is the first one that does not end before it. Only the last row that was
// read is returned without being of one of the types.
const searchRecord = statement('search_record_changes', 'bulk')`
  select ${microseconds('last_at')} as at, type, case when wanted then items end as items, number, bytes
  from (
    select *, lead(number) over (order by number) is null as is_last from (
      select last_at, type, items, wanted, row_number() over w as number, (sum(size) over w)::int as bytes,
        sum(size) over w - size as bytes_before
      from (
        select last_at, type, items, type = any ($2::text[]) as wanted, case when type = any ($2::text[]) then bytes else 0 end as size
        from changes where workspace_id = $1 and last_at <= coalesce(
          (select last_at from changes where workspace_id = $1 and last_at >= $3::timestamptz order by last_at limit 1),
          $3::timestamptz, 'infinity')
        order by last_at desc limit $4
      ) ranged window w as (order by last_at desc rows unbounded preceding)
    ) summed where bytes_before < $5
  ) read where wanted or is_last order by number`;

interface Row extends Pick<PackedRow, 'type'> {
  readonly at: number;
  readonly items: Buffer | null;
  readonly number: number;
  readonly bytes: number;
}

/**
 * Searches the feed for the changes of a record, from newer to older ones. There is no index by record, because it would
 * cost each write and each import, so the search is bounded. It ends at the creation of the record: earlier changes with
 * the same id are of a deleted record.
 */
export async function searchHistory(
  connections: Queryable,
  { workspaceId, recordId, types, start, limit, rows: most = SEARCHED_ROWS_MAX }: HistorySearch,
): Promise<FoundChanges> {
  const place = start === undefined ? null : timeOfMicros(start.at);
  const { rows } = await connections.query<Row>(
    searchRecord(workspaceId, types, place, most, UNPACKED_MAX_BYTES),
  );
  const changes: Change[] = [];
  for (const { at: lastAt, type, items } of rows) {
    if (items === null) continue;
    for (const change of unpackRecord({ lastAt, type, items }, recordId).toReversed()) {
      if (start !== undefined && !isBefore(change.at, start)) continue;
      changes.push(change);
      if (isCreation(change)) return { changes, searchedTo: change.at, stopped: false };
      if (changes.length === limit) return { changes, searchedTo: change.at, stopped: true };
    }
  }
  const last = rows.at(-1);
  if (last === undefined) return { changes, searchedTo: undefined, stopped: false };
  const { at, type, items, number, bytes } = last;
  const stopped = number >= most || bytes >= UNPACKED_MAX_BYTES;
  // A row of one of the types is read up to its first change.
  const searchedTo = items === null ? at : unpackRow({ lastAt: at, type, items })[0]?.at;
  return { changes, searchedTo, stopped };
}

const isBefore = (at: Micros, start: Start): boolean => (at === start.at ? start.inclusive : at < start.at);

export const isCreation = ({ type }: Pick<Change, 'type'>): boolean => type.endsWith('.created');
