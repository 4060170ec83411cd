import { ETAG_LIFETIME_SECONDS } from '../config/limits.ts';
import type { Clock } from '../config/time.ts';
import type { Shares } from '../database/lane.ts';
import { weakEtag } from '../http/etag.ts';
import type { Binding, CursorCodec, CursorFailure, Position } from './cursor.ts';
import type { ListDefinition } from './definition.ts';
import { type Compared, type KeysetRead, type KeysetRow, keysetStatement } from './keyset.ts';
import { type Page, toPage } from './page.ts';
import type { ListQuery } from './query.ts';

/** Whose records: every statement is bound to the workspace, and to one company when the key is limited to it. */
export interface Scope {
  readonly workspaceId: string;
  readonly companyId: string | null;
}

export interface ListReader {
  /** By workspace. */
  readonly reads: Shares;
  readonly cursors: CursorCodec;
  readonly clock: Clock;
}

/** The list envelope as JSON text, and its weak ETag. */
export interface ListAnswer {
  readonly body: string;
  readonly etag: string;
}

/**
 * Reads one page (specification, 4.1): cursor, one statement, envelope. A cursor that may not be used is a value,
 * not an exception.
 */
export async function readList(
  reader: ListReader,
  list: ListDefinition,
  query: ListQuery,
  scope: Scope,
): Promise<ListAnswer | CursorFailure> {
  const { workspaceId } = scope;
  const binding = bindingOf(list, query, scope);
  const nowMs = reader.clock();
  let position: Position | undefined;
  if (query.cursor !== undefined) {
    const decoded = reader.cursors.decode(query.cursor, binding, workspaceId, nowMs);
    if (typeof decoded === 'string') return decoded;
    position = decoded;
  }
  const { limit, direction, sort } = query;
  const { name, text, values } = keysetStatement({
    list,
    workspaceId,
    ...conditionsOf(list, query, scope),
    sort,
    direction,
    position,
    limit,
  });
  const { rows } = await reader.reads
    .of(workspaceId)
    .query<KeysetRow>({ ...(name === undefined ? {} : { name }), text, values: [...values] });
  const [row] = rows;
  if (row === undefined) throw new Error('The page statement returned no row.');
  const page = toPage(row, limit, direction, position);
  const at =
    (issuedMs: number) =>
    (gap: Position | null): string | null =>
      gap === null ? null : reader.cursors.encode(gap, binding, workspaceId, issuedMs);
  const tagged = envelope(page, direction, at(tagTime(nowMs)));
  return { body: envelope(page, direction, at(nowMs)), etag: weakEtag(`${workspaceId}\n${tagged}`) };
}

/** What the rows must meet: the company of the scope, and the filters. */
export function conditionsOf(
  list: ListDefinition,
  { filters }: Pick<ListQuery, 'filters'>,
  { companyId }: Scope,
): Required<Pick<KeysetRead, 'equal' | 'compared'>> {
  const equal: Record<string, string> = {};
  const compared: Compared[] = [];
  if (companyId !== null && list.companyColumn !== null) equal[list.companyColumn] = companyId;
  for (const [name, { column, comparison }] of Object.entries(list.filters)) {
    const value = filters[name];
    if (value === undefined) continue;
    if (comparison === undefined) equal[column] = value;
    else compared.push({ ...comparison, column, value });
  }
  return { equal, compared };
}

/** The effective filter set, list and sort as one text; a cursor may be used only where it is the same again. */
function bindingOf(list: ListDefinition, query: ListQuery, scope: Scope): Binding {
  const filters = Object.entries(query.filters).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([list.name, query.sort.name, scope.companyId, filters]);
}

function envelope(
  page: Page,
  direction: ListQuery['direction'],
  issue: (gap: Position | null) => string | null,
): string {
  const startCursor = issue(page.start);
  const endCursor = issue(page.end);
  const nextCursor = page.hasMore ? (direction === 'forward' ? endCursor : startCursor) : null;
  const pagination = { nextCursor, hasMore: page.hasMore, startCursor, endCursor, total: page.total };
  return `{"data":${page.data},"pagination":${JSON.stringify(pagination)}}`;
}

/**
 * The time at which the cursors in a page's ETag are issued. The real ones change with every second. These change often
 * enough that a page which 304 declares current never has an expired cursor, and with whatever else makes cursors
 * unusable: the issuing secret, and what they are bound to.
 */
const tagTime = (nowMs: number): number => nowMs - (nowMs % (ETAG_LIFETIME_SECONDS * 1000));
