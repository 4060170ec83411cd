import type pg from 'pg';
import { SEARCHED_ROWS_MAX } from '../config/limits.ts';
import type { KeysetRead, SearchedTexts } from './definition.ts';

// SQL to search a list by words (docs/decisions/0040). The migrations `search` and `search_addresses` have its functions.

/** What the rows that an index found are called in a statement. */
const FOUND = 'found_by_words';

/**
 * The condition that a row has all words of the text `parameter`, or the part of a URL, or is the record with this id. The
 * longest word is looked for first, because that is the cheapest comparison.
 */
export function searchCondition({ title, url }: SearchedTexts, parameter: string): string {
  const patterns = `(select search_patterns(${parameter}))`;
  return `(id = ${parameter} or (lower(${title} || ' ' || coalesce(${url}, '')) like (${patterns})[1]
    and (search_words(${title}, ${url}) like all ((${patterns})[3:]) or lower(${url}) ~ (${patterns})[2])))`;
}

/**
 * The rows of workspace `$1` in `table` that the word index finds for `text`, and the record with that id.
 * One of the rows has only nulls if the index does not help: then the rows have to be compared one by one.
 */
export const foundByWords = (table: string, text: string, name = FOUND): string =>
  `${name} as materialized (
  select * from search_records(null::${table}, $1, ${text}, ${SEARCHED_ROWS_MAX})
  union all
  (select * from ${table} where workspace_id = $1 and id >= ${text} and id <= ${text} order by id limit 1)
)`;

/** Whether the index does not help, as SQL next to {@link foundByWords}. */
export const isTooCommon = (name = FOUND): string =>
  `exists (select from ${name} where workspace_id is null)`;

/** The same read, of the rows that the index has found; undefined if it searches for nothing. */
export function readOfFound(
  read: KeysetRead,
): { readonly read: KeysetRead; readonly text: string } | undefined {
  const search = read.compared?.find(({ operator }) => operator === 'search');
  if (search === undefined) return undefined;
  const compared = (read.compared ?? []).filter((each) => each !== search);
  return { read: { ...read, list: { ...read.list, source: FOUND }, compared }, text: search.value };
}

/** A statement over the rows that an index has found. Its row has `too_common`. */
export function withFound(
  { text, values }: { readonly text: string; readonly values: readonly (string | number)[] },
  table: string,
  searched: string,
): pg.QueryConfig & { readonly text: string; readonly values: (string | number)[] } {
  return {
    text: `with ${foundByWords(table, `$${values.length + 1}`)} select *, ${isTooCommon()} as too_common from (
${text}
) read`,
    values: [...values, searched],
  };
}
