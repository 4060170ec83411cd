import { type Micros, timeOfMicros } from '@svc/exact-times/micros';
import type { Change } from '@svc/packed-changes';
import type { Queryable } from '@svc/turns/lane';
import { isCreation } from '../../changes/history.ts';
import { lookUp } from '../../database/look-up.ts';
import { statement } from '../../database/statement.ts';
import { microseconds } from '../../database/utc.ts';
import type { RecordChange } from '../wire.ts';

/**
 * Connects changes with their entries in the audit log. A transaction first gets the time of its change, then that of its
 * entry, so the entry follows the change within milliseconds. Only a wait for the lock of the log makes this longer.
 */

type Entry = NonNullable<RecordChange['entry']>;

/** How long after its change an entry is searched, and in how many entries. */
const ENTRY_WITHIN_SECONDS = 60;
export const ENTRIES_SEARCHED_MAX = 200;
/** How many imports are looked at to find that of a change. */
export const IMPORTS_SEARCHED_MAX = 20;

// A look-up for each change. The method and the status tell the creation by an import from the first change after it. A
// short text of the entry is compared before the entry is parsed.
const selectEntries = statement('entries_of_changes', 'bulk')`
  select ${microseconds('change.at')} as at, entry.doc
  from unnest($2::timestamptz[], $4::text[]) as change (at, requests) cross join lateral (
    select doc from (
      select created_at, id, kind, method, doc from audit_log
      where workspace_id = $1 and created_at > change.at and created_at < change.at + interval '${ENTRY_WITHIN_SECONDS} seconds'
      order by created_at, id limit ${ENTRIES_SEARCHED_MAX}
    ) following
    where (kind = 'api.request' or strpos(change.requests, kind) > 0)
      and case when strpos(doc, '"' || $3 || '"') > 0 then (doc::json -> 'recordIds')::jsonb ? $3 and (
        case kind when 'api.request' then method || ' ' || (doc::json ->> 'status') else kind end
          = any (string_to_array(change.requests, ', '))
      ) end
    order by created_at, id limit 1
  ) entry`;

const selectImports = statement('imports_before', 'request')`
  select entry.doc, ${microseconds('entry.created_at')} as at, ${microseconds('import.last_at')} as "lastAt"
  from (
    select target_id, created_at, doc from audit_log
    where workspace_id = $1 and kind >= 'records.imported' and kind <= 'records.imported'
      and created_at < $2::timestamptz + interval '${ENTRY_WITHIN_SECONDS} seconds'
    order by kind desc, created_at desc, id desc limit ${IMPORTS_SEARCHED_MAX}
  ) entry cross join lateral (
    ${lookUp({ select: 'last_at', from: 'imports', key: 'entry.target_id', and: 'last_at >= $2' })}
  ) import
  where entry.doc::json ->> 'resource' = $3`;

const REQUESTS: readonly (readonly [suffix: string, requests: string])[] = [
  ['.created', 'POST 201, PUT 201, POST 200, record.created'],
  ['.updated', 'PATCH 200, PUT 200, POST 200, record.changed, records.changed'],
  ['.deleted', 'DELETE 204, POST 204, POST 200, record.deleted, records.deleted'],
];
/**
 * What makes such a change: method and status of requests with a key, and kinds of entries about a person. `POST 200` is a
 * batch of operations.
 */
const requestsOf = ({ type }: Change): string | undefined =>
  REQUESTS.find(([suffix]) => type.endsWith(suffix))?.[1];

/** The entries of changes of one record, by the times of the changes. A change without an entry is not in it. */
export async function entriesOf(
  connections: Queryable,
  workspaceId: string,
  resource: string,
  recordId: string,
  changes: readonly Change[],
): Promise<ReadonlyMap<Micros, Entry>> {
  if (changes.length === 0) return new Map();
  const times = changes.map(({ at }) => timeOfMicros(at));
  const { rows } = await connections.query<{ at: Micros; doc: string }>(
    selectEntries(workspaceId, times, recordId, changes.map(requestsOf)),
  );
  const entries = new Map(rows.map(({ at, doc }) => [at, entryOf(doc)]));
  const creation = changes.find(isCreation);
  if (creation !== undefined && !entries.has(creation.at)) {
    const entry = await importOf(connections, workspaceId, resource, creation.at);
    if (entry !== undefined) entries.set(creation.at, entry);
  }
  return entries;
}

/**
 * The entry of the import that added a record at this time. Undefined: there is none, or it is not known which one, because
 * several imports of the resource ran at the same time.
 */
async function importOf(
  connections: Queryable,
  workspaceId: string,
  resource: string,
  at: Micros,
): Promise<Entry | undefined> {
  const { rows } = await connections.query<{ doc: string; at: Micros; lastAt: Micros }>(
    selectImports(workspaceId, timeOfMicros(at), resource),
  );
  // An entry follows the first records of its import. So the rows also have imports that began after the change: their entry
  // is later than the end of the import that added it, and so are their records.
  const running = rows.filter((each) => !rows.some((other) => other !== each && other.lastAt < each.at));
  const [only, ...others] = running;
  return only === undefined || others.length > 0 ? undefined : entryOf(only.doc);
}

function entryOf(doc: string): Entry {
  const { id, kind, createdAt, actor, keyId } = JSON.parse(doc) as Entry;
  return { id, kind, createdAt, actor, keyId };
}
