import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Queryable } from '../database/lane.ts';
import { statements } from '../database/statement.ts';
import type { KeysetRead } from './definition.ts';
import { indexRangeOf, rowsOf } from './index-range.ts';

const countRows = statements('count_list', 'bulk');

/**
 * Counts the items of a filtered list among the first `read.limit` rows of its range. `more`: the range has more rows, so
 * the list can have more items.
 */
export async function countKeyset(
  connections: Queryable,
  read: KeysetRead,
): Promise<{ readonly count: number; readonly more: boolean }> {
  const { rows } = await connections.query<{ count: number; more: boolean }>(countStatement(read));
  return rows[0] ?? { count: 0, more: false };
}

function countStatement(read: KeysetRead): pg.QueryConfig {
  const range = indexRangeOf(read);
  const meets = range.filters.length === 0 ? 'true' : range.filters.join(' and ');
  const text = `select count(*) filter (where meets and number <= $2)::int as count, count(*) > $2 as more from (
  select meets, row_number() over () as number from (
    ${rowsOf(read, range, `(${meets}) as meets`, '$2 + 1')}
  ) ranged
) counted`;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 32);
  return { ...countRows(`counted_list_${hash}`, text)(), values: range.values };
}
