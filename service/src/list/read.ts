import type { Binding, CursorCodec, CursorFailure, Position } from '@svc/deployment-secrets/cursors';
import { canonicalTime } from '@svc/exact-times/canonical-time';
import { type Direction, largestSet, TOTAL_MAX_ITEMS } from '@svc/sdk/contract';
import type { Queryable, Shares } from '@svc/turns/lane';
import type { Clock } from '../config/time.ts';
import { preparedStatements } from '../database/statement.ts';
import {
  type Compared,
  DOC_SEPARATOR,
  type KeysetRead,
  type KeysetRow,
  type ListDefinition,
  type Page,
} from './definition.ts';
import { etagOf, tagTime } from './etag.ts';
import { selectFields } from './fields.ts';
import { readKeyset } from './keyset.ts';
import type { ListQuery } from './query.ts';

/** The records that a request may use: those of one workspace, or of one company of it. */
export interface Scope {
  readonly workspaceId: string;
  readonly companyId: string | null;
}

export interface ListReader {
  /** Connections by workspace. */
  readonly reads: Shares;
  readonly cursors: CursorCodec;
  readonly clock: Clock;
}

export interface ListAnswer {
  /** Weak. */
  readonly etag: string;
  /** Returns the list envelope as JSON text. It seals the cursors, so a 304 does not need it. */
  readonly body: () => string;
  /** Whether the page has items, or there are more after it. */
  readonly hasItems: boolean;
  /** `pagination.position`. Undefined: the list has none. */
  readonly position: string | undefined;
}

/** Reads one page (specification, 4.1): opens the cursor and runs one statement. Returns the failure of a wrong cursor. */
export async function readList(
  reader: ListReader,
  list: ListDefinition,
  query: ListQuery,
  scope: Scope,
): Promise<ListAnswer | CursorFailure> {
  const { workspaceId } = scope;
  const nowMs = reader.clock();
  let position: Position | undefined;
  if (query.cursor !== undefined) {
    const binding = bindingOf(list, query, scope);
    const decoded = reader.cursors.decode(query.cursor, binding, workspaceId, nowMs);
    if (typeof decoded === 'string') return decoded;
    position =
      list.shortKeys && decoded.order === undefined
        ? await withOrder(reader.reads.of(workspaceId), list, workspaceId, decoded)
        : decoded;
  }
  return readFrom(reader, list, query, scope, position, nowMs);
}

/** Reads the items at a position of the list. Undefined: at its start. */
export async function readItems(
  reads: Shares,
  list: ListDefinition,
  query: ListQuery,
  scope: Scope,
  position: Position | undefined,
): Promise<Page> {
  const { workspaceId } = scope;
  const { limit, direction, sort, fields } = query;
  const conditions = conditionsOf(list, query, scope);
  const read = { list, workspaceId, ...conditions, sort, direction, position, limit };
  const readRows = list.read ?? readKeyset;
  const page = toPage(await readRows(reads.of(workspaceId), read), limit, direction, position);
  if (fields === undefined) return page;
  const docs = docsOf(page.data).map((doc) => selectFields(doc, fields));
  return { ...page, data: `[${docs.join(DOC_SEPARATOR)}]` };
}

/** The JSON text of each item of a page's data. */
export const docsOf = (data: string): readonly string[] =>
  data === '[]' ? [] : data.slice(1, -1).split(DOC_SEPARATOR);

/** Reads the page at a position of the list. Undefined: at its start. */
export async function readFrom(
  reader: ListReader,
  list: ListDefinition,
  query: ListQuery,
  scope: Scope,
  position: Position | undefined,
  nowMs = reader.clock(),
): Promise<ListAnswer> {
  const { workspaceId } = scope;
  const { direction } = query;
  const page = await readItems(reader.reads, list, query, scope, position);
  const binding = bindingOf(list, query, scope);
  const issue = (gap: Position | null): string | null =>
    gap === null ? null : reader.cursors.encode(gap, binding, workspaceId, nowMs);
  return {
    etag: etagOf(page, direction, workspaceId, [tagTime(nowMs), reader.cursors.issuer, binding]),
    body: () => envelope(page, direction, issue),
    hasItems: page.hasMore || page.data !== '[]',
    position: page.position,
  };
}

/**
 * Turns the rows of the statement into a page. `before` reads in the inverted order, and the rows are reversed here. One row
 * more than the limit shows that the list has more items. If a search found fewer, its cursor continues where it ended.
 */
export function toPage(
  row: KeysetRow,
  limit: number,
  direction: Direction,
  from: Position | undefined,
): Page {
  const full = row.rows > limit;
  const stopped = !full && row.stopped === true;
  const total = row.total !== null && row.total <= TOTAL_MAX_ITEMS ? row.total : undefined;
  const [ahead, behind] =
    direction === 'forward' ? (['after', 'before'] as const) : (['before', 'after'] as const);
  const isEmptyList = row.docs === null && from === undefined && !stopped;
  const [key, id] = full || isEmptyList ? [] : [row.searched_key, row.searched_id];
  const last = gap(ahead, row.last_key, row.last_id, row.last_order);
  const reached = gap(ahead, key, id) ?? last ?? from ?? null;
  // Reading back from here does not search the same rows again.
  const began = isEmptyList ? null : gap(behind, row.began_key, row.began_id);
  const first = gap(behind, row.first_key, row.first_id, row.first_order);
  const origin = row.docs === null ? (from ?? began) : first;
  const docs = row.docs ?? '';
  const kept = full ? docs.slice(0, docs.lastIndexOf(DOC_SEPARATOR)) : docs;
  const page = {
    hasMore: full || stopped,
    total,
    // PostgreSQL leaves out the zeros at the end of a fraction.
    searchedTo: canonicalTime((stopped && row.searched_key?.replace(' ', 'T')) || '', 'microseconds'),
    position: row.position,
  };
  if (direction === 'forward') return { ...page, data: `[${kept}]`, start: origin, end: reached };
  const reversed = kept.split(DOC_SEPARATOR).reverse().join(DOC_SEPARATOR);
  return { ...page, data: `[${reversed}]`, start: reached, end: origin };
}

function gap(
  side: Position['side'],
  key: string | null = null,
  id: string | null = null,
  order: string | null = null,
): Position | null {
  if (key === null || id === null) return null;
  return order === null ? { side, key, id } : { side, key, id, order };
}

const selectOrder = preparedStatements('id_order', 'request');

/** Completes a position of an earlier version: its item has this order, or had it. */
async function withOrder(
  connections: Queryable,
  { relation }: ListDefinition,
  workspaceId: string,
  position: Position,
): Promise<Position> {
  const select = selectOrder(
    `order_of_${relation}`,
    `select encode(coalesce((select case when id = $2 then id_order else substr(id_order, 1, 5) || $2::bytea end
       from ${relation} where workspace_id = $1 and id <= $2 order by id desc limit 1),
       '\\x0000000000' || $2::bytea), 'hex') as order`,
  );
  const { rows } = await connections.query<{ order: string }>(select(workspaceId, position.id));
  return { ...position, ...rows[0] };
}

/** The conditions of the statement: the company of the scope, and the filters. An index serves as many as it can. */
export function conditionsOf(
  list: ListDefinition,
  { filters, sort }: Pick<ListQuery, 'filters' | 'sort'>,
  { companyId }: Scope,
): Required<Pick<KeysetRead, 'equal' | 'compared'>> {
  const wanted = new Map<string, string>();
  const compared: Compared[] = [];
  if (companyId !== null && list.companyColumn !== null) wanted.set(list.companyColumn, companyId);
  for (const [name, { column, comparison }] of Object.entries(list.filters)) {
    const value = filters[name];
    if (value === undefined) continue;
    if (comparison === undefined) wanted.set(column, value);
    else compared.push({ ...comparison, column, value });
  }
  const { indexed, unindexed = {} } = list;
  const named = indexed.filter((column) => wanted.has(column) && wanted.get(column) !== unindexed[column]);
  const sets = list.indexes?.[sort.column.column];
  const equal: Record<string, string> = {};
  for (const column of sets === undefined ? named : largestSet(sets, named)) {
    equal[column] = wanted.get(column) ?? '';
    wanted.delete(column);
  }
  for (const [column, value] of wanted) compared.push({ column, operator: '=', type: 'text', value });
  return { equal, compared };
}

/** The list, the sort and the effective filter set as one text. A cursor can be used only where this text is the same. */
function bindingOf(list: ListDefinition, query: ListQuery, scope: Scope): Binding {
  const filters = Object.entries(query.filters).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([list.name, query.sort.name, scope.companyId, filters]);
}

function envelope(page: Page, direction: Direction, issue: (gap: Position | null) => string | null): string {
  const startCursor = issue(page.start);
  const endCursor = issue(page.end);
  const nextCursor = page.hasMore ? (direction === 'forward' ? endCursor : startCursor) : null;
  const { hasMore, total, searchedTo, position } = page;
  const pagination = { nextCursor, hasMore, startCursor, endCursor, total, searchedTo, position };
  return `{"data":${page.data},"pagination":${JSON.stringify(pagination)}}`;
}
