import { type Micros, timeOfMicros } from '@svc/exact-times/micros';
import { type Change, ROW_CHANGES_MAX, unpackRow } from '@svc/packed-changes';
import {
  completeResource,
  eventTypeOf,
  RECORDS,
  recordEventTypes,
  WORKSPACE_EVENT_RESOURCE,
} from '@svc/sdk/contract';
import type { Queryable } from '@svc/turns/lane';
import { changeIdOf } from './id.ts';
import { CHANGES_SEARCHED_MAX, type FeedRows, readDocs, readRows, type Start } from './rows.ts';

/** Which changes are wanted. Undefined: all. */
export interface ChangeFilter {
  readonly resource?: string | undefined;
  readonly types?: readonly string[] | undefined;
  readonly companyId?: string | undefined;
}

export interface ChangeScan extends ChangeFilter {
  readonly workspaceId: string;
  readonly ascending: boolean;
  /** Undefined: at the end of the feed. */
  readonly start: Start | undefined;
  /** The most changes to return. */
  readonly limit: number;
  /** The most changes to read. Default: with a filter CHANGES_SEARCHED_MAX, without one what the limit needs. */
  readonly searched?: number;
}

/** A change as a reader of the feed sees it. */
interface ChangeItem {
  readonly id: string;
  readonly at: Micros;
  readonly type: string;
  readonly companyId: string | null;
  /** The item of `GET /v1/changes`. */
  readonly json: string;
}

export interface ScannedChanges extends Pick<FeedRows, 'newest' | 'completeAfter'> {
  readonly items: readonly ChangeItem[];
  /** The first and the last change that were read, also those that the filter leaves out. Undefined: none. */
  readonly began: Micros | undefined;
  readonly searchedTo: Micros | undefined;
  /** Whether reading ended because a request may not read more, so that there can be more. */
  readonly stopped: boolean;
}

interface EventOfRecord {
  readonly resource: string;
  /** The type of a deletion of the same resource. */
  readonly deleted: string;
}

/** The resource of each type of change. Types of workspace events are not in it. */
const RECORD_EVENTS: ReadonlyMap<string, EventOfRecord> = new Map(
  Object.values(RECORDS).flatMap((contract) => {
    const resource = completeResource(contract).name;
    const deleted = eventTypeOf(contract, 'deleted');
    return recordEventTypes([contract]).map((type) => [type, { resource, deleted }] as const);
  }),
);

/** The resource of a type of change, or `workspace`. */
export const resourceOf = (type: string): string =>
  RECORD_EVENTS.get(type)?.resource ?? WORKSPACE_EVENT_RESOURCE;

/** Reads changes in the order of the commits, or in the inverted order. */
export async function scanChanges(connections: Queryable, scan: ChangeScan): Promise<ScannedChanges> {
  const { workspaceId, ascending, start, limit, resource, types, companyId } = scan;
  const searches = resource !== undefined || types !== undefined || companyId !== undefined;
  // The first row can have changes before the start.
  const changes = scan.searched ?? (searches ? CHANGES_SEARCHED_MAX : limit + ROW_CHANGES_MAX);
  const read = await readRows(connections, { workspaceId, ascending, start, changes, searches });
  const inRange = read.rows.flatMap((row, i) => {
    // The first and the last row say what was read.
    const isEnd = i === 0 || i === read.rows.length - 1;
    const unpacked = isEnd || mayMatch(row.type, scan) ? unpackRow(row) : [];
    const ordered = ascending ? unpacked : unpacked.toReversed();
    return start === undefined ? ordered : ordered.filter(({ at }) => isAfter(at, start, ascending));
  });
  const wanted = inRange.filter(({ type }) => mayMatch(type, scan));
  // The company of some changes is known only from their records.
  const candidates = companyId === undefined ? wanted.slice(0, limit) : wanted;
  const complete = await withRecords(connections, workspaceId, candidates, searches);
  const items = complete.flatMap((change) => itemOf(workspaceId, change, scan)).slice(0, limit);
  return {
    items,
    began: inRange[0]?.at,
    searchedTo: inRange.at(-1)?.at,
    stopped: read.stopped,
    newest: read.newest,
    completeAfter: read.completeAfter,
  };
}

function isAfter(at: Micros, start: Start, ascending: boolean): boolean {
  if (at === start.at) return start.inclusive;
  return ascending ? at > start.at : at < start.at;
}

/** Whether a change of this type can be wanted. To its old company, an update may be a deletion. */
function mayMatch(type: string, { resource, types, companyId }: ChangeFilter): boolean {
  if (resource !== undefined && resourceOf(type) !== resource) return false;
  if (types === undefined || types.includes(type)) return true;
  const deleted = RECORD_EVENTS.get(type)?.deleted;
  return companyId !== undefined && deleted !== undefined && types.includes(deleted);
}

/** Completes changes of records that never change, whose JSON is read where the record is stored. */
async function withRecords(
  connections: Queryable,
  workspaceId: string,
  changes: readonly Change[],
  searches: boolean,
): Promise<readonly Change[]> {
  const incomplete = changes.filter(({ doc }) => doc === undefined);
  const docs = new Map<string, ReadonlyMap<string, string>>();
  for (const [relation, wanted] of Map.groupBy(incomplete, ({ type }) => resourceOf(type))) {
    const ids = wanted.map(({ recordId }) => recordId);
    docs.set(relation, await readDocs(connections, workspaceId, relation, ids, searches));
  }
  return changes.map((change) => {
    if (change.doc !== undefined) return change;
    const doc = docs.get(resourceOf(change.type))?.get(change.recordId) ?? null;
    const { companyId = null } = doc === null ? {} : (JSON.parse(doc) as { companyId?: string });
    return { ...change, doc, companyId };
  });
}

/** The item that a reader with this filter sees. Empty: none. */
function itemOf(workspaceId: string, change: Change, filter: ChangeFilter): readonly ChangeItem[] {
  const { at, recordId, leftCompanyId } = change;
  const isLeft = filter.companyId !== undefined && leftCompanyId === filter.companyId;
  const {
    companyId,
    doc = null,
    changed,
  } = isLeft ? { companyId: leftCompanyId, doc: null, changed: undefined } : change;
  const type = isLeft ? (RECORD_EVENTS.get(change.type)?.deleted ?? change.type) : change.type;
  if (filter.companyId !== undefined && companyId !== filter.companyId) return [];
  if (filter.types !== undefined && !filter.types.includes(type)) return [];
  const id = changeIdOf(workspaceId, at);
  const head = { id, type, resource: resourceOf(type), recordId, companyId, createdAt: timeOfMicros(at) };
  const tail = changed === undefined ? '' : `,"changed":${JSON.stringify(changed)}`;
  const json = `${JSON.stringify(head).slice(0, -1)},"record":${doc ?? 'null'}${tail}}`;
  return [{ id, at, type, companyId, json }];
}
