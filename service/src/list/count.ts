import type { Queryable } from '@svc/turns/lane';
import type pg from 'pg';
import { statements, textHash } from '../database/statement.ts';
import type { KeysetRead } from './definition.ts';
import { indexRangeOf, rowsOf } from './index-range.ts';
import { readOfFound, withFound } from './word-search.ts';

const countRows = statements('count_list', 'bulk');

/**
 * Counts the items of a filtered list among the first `read.limit` rows of its range. `more`: the range has more rows, so
 * the list can have more items.
 */
export async function countKeyset(
  connections: Queryable,
  read: KeysetRead,
): Promise<{ readonly count: number; readonly more: boolean }> {
  const found = readOfFound(read);
  if (found !== undefined) {
    const { rows } = await connections.query<{ count: number; more: boolean; too_common: boolean }>(
      countStatement(found.read, found.text),
    );
    const [{ count, more, too_common } = { count: 0, more: false, too_common: true }] = rows;
    if (!too_common) return { count, more };
  }
  const { rows } = await connections.query<{ count: number; more: boolean }>(countStatement(read));
  return rows[0] ?? { count: 0, more: false };
}

/** `searched`: the text of a search whose rows an index has found. */
function countStatement(read: KeysetRead, searched?: string): pg.QueryConfig {
  const range = indexRangeOf(read);
  const meets = range.filters.length === 0 ? 'true' : range.filters.join(' and ');
  const counted = `select count(*) filter (where meets and number <= $2)::int as count, count(*) > $2 as more from (
  select meets, row_number() over () as number from (
    ${rowsOf(read, range, `(${meets}) as meets`, '$2 + 1')}
  ) ranged
) counted`;
  const { text, values } =
    searched === undefined
      ? { text: counted, values: range.values }
      : withFound({ text: counted, values: range.values }, read.list.relation, searched);
  return { ...countRows(`counted_list_${textHash(text)}`, text)(), values };
}
