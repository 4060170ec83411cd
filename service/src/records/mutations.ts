import { strongEtag } from '@svc/http-content/etag';
import { isId } from '@svc/sdk/contract';
import type pg from 'pg';
import { allocateTimestamps } from '../changes/clock.ts';
import { type Micros, timeOfMicros } from '../config/micros.ts';
import { failedFor } from '../database/errors.ts';
import { lookUp } from '../database/look-up.ts';
import { preparedStatements, statement } from '../database/statement.ts';
import { ApiError, invalidBody } from '../http/errors.ts';
import type { Scope } from '../list/read.ts';
import { columnName, type Resource } from '../resources/define.ts';
import { deletionOf, updateOf } from './changes.ts';
import { countsOf, noteChanges, noteOf, parentField } from './counters.ts';
import { noCompany, otherCompany, type RecordWrite, requireRecord, type WriteResult } from './create.ts';
import { canonicalValues, docOf, type RecordInput, type RecordValues } from './row.ts';

const selectLocked = preparedStatements('lock_record', 'request');
const updateOne = preparedStatements('update_record', 'request');
const deleteOne = preparedStatements('delete_record', 'request');

export interface PatchResult extends WriteResult {
  /** Names of the fields whose value has changed. */
  readonly changed: readonly string[];
}

/**
 * Validates a JSON merge patch (RFC 7396) and returns the write that applies it. If nothing changes, `recordIds` is
 * empty.
 */
export function patchRecord(
  resource: Resource,
  scope: Scope,
  id: string,
  body: unknown,
  ifMatch: string | undefined,
): RecordWrite<PatchResult> {
  const patch = requireRecord(resource, body, 'patch');
  return {
    work: async (client) => {
      const locked = await lockMatching(client, resource, scope, id, ifMatch);
      const values = stampedOnMove(resource, locked, merge(locked.values, patch));
      await checkCompany(client, resource, scope, locked, values);
      const doc = await updateRecord(client, scope.workspaceId, resource, locked, values);
      const recordIds = doc === locked.doc ? [] : [id];
      const changed = Object.keys(values).filter((name) => values[name] !== locked.values[name]);
      return { answer: { status: 200, headers: { etag: strongEtag(doc) }, body: doc }, recordIds, changed };
    },
  };
}

/** Returns the write that deletes a record. It throws `conflict` if keys or other records depend on the record. */
export const removeRecord = (
  resource: Resource,
  scope: Scope,
  id: string,
  ifMatch: string | undefined,
): RecordWrite => ({
  work: async (client) => {
    const locked = await lockMatching(client, resource, scope, id, ifMatch);
    if (resource.company === 'id' && (await hasActiveKey(client, scope.workspaceId, id))) {
      throw new ApiError('conflict', `API keys are limited to the ${resource.singular}. Revoke them first.`);
    }
    try {
      const { relation } = resource.list;
      const text = `delete from ${relation} where workspace_id = $1 and id = $2 and ctid = $3`;
      await client.query(deleteOne(`delete_${relation}`, text)(scope.workspaceId, id, locked.place));
    } catch (error) {
      if (!failedFor(error, 'foreign_key_violation')) throw error;
      throw new ApiError('conflict', `The ${resource.singular} still has records. Delete them first.`);
    }
    const change = deletionOf(resource, locked.at, id, locked.values);
    await noteChanges(
      client,
      scope.workspaceId,
      resource,
      noteOf([change], countsOf(resource, [locked], -1)),
    );
    return { answer: { status: 204, headers: {}, body: '' }, recordIds: [id] };
  },
});

const selectActiveKey = statement('active_key_of_company', 'request')`
  ${lookUp({ select: '1', from: 'api_keys', column: 'company_id', and: 'revoked_at is null' })}`;

async function hasActiveKey(client: pg.ClientBase, workspaceId: string, companyId: string): Promise<boolean> {
  const { rowCount } = await client.query(selectActiveKey(workspaceId, companyId));
  return rowCount !== 0;
}

/**
 * Locks the clock of the workspace and a record. Throws `not_found` if the scope has no such record, and
 * `precondition_failed` if If-Match does not match its ETag.
 */
async function lockMatching(
  client: pg.ClientBase,
  resource: Resource,
  { workspaceId, companyId }: Scope,
  id: string,
  ifMatch: string | undefined,
): Promise<LockedRecord> {
  const notFound = (): ApiError => new ApiError('not_found', `There is no such ${resource.singular}.`);
  if (!isId(id)) throw notFound();
  const at = await allocateTimestamps(client, workspaceId, 1);
  const { relation, companyColumn } = resource.list;
  const select = selectLocked(
    `lock_${relation}`,
    `${lookUp({ select: 'doc, ctid::text as place', from: relation, and: `($3::text is null or ${companyColumn ?? 'id'} = $3)` })} for no key update`,
  );
  const { rows } = await client.query<{ doc: string; place: string }>(select(workspaceId, id, companyId));
  const [row] = rows;
  if (row === undefined) throw notFound();
  if (ifMatch !== undefined && !matches(ifMatch, strongEtag(row.doc))) {
    throw new ApiError(
      'precondition_failed',
      `The ${resource.singular} has changed since it was read. Read it again, then repeat the change.`,
    );
  }
  return { id, place: row.place, doc: row.doc, values: JSON.parse(row.doc) as RecordValues, at };
}

/** If-Match uses strong comparison (RFC 9110). */
const matches = (header: string, etag: string): boolean =>
  header.trim() === '*' || header.split(',').some((tag) => tag.trim() === etag);

function merge(values: RecordValues, patch: RecordInput): RecordValues {
  const merged = { ...values };
  for (const [name, value] of Object.entries(patch)) if (value !== undefined) merged[name] = value;
  return merged;
}

const selectCompany = statement('company_exists', 'request')`${lookUp({ select: '1', from: 'companies' })}`;

async function checkCompany(
  client: pg.ClientBase,
  resource: Resource,
  scope: Scope,
  locked: LockedRecord,
  values: RecordValues,
): Promise<void> {
  const parent = parentField(resource);
  if (parent === undefined || values[parent] === locked.values[parent]) return;
  if (scope.companyId !== null) throw otherCompany();
  const { rowCount } = await client.query(selectCompany(scope.workspaceId, values[parent]));
  if (rowCount === 0) throw invalidBody([{ field: `/${parent}`, reason: noCompany(values, parent) }]);
}

/** Throws `invalid_transition` if the resource does not allow the change of state. Sets the time of the new state. */
function stampedOnMove(
  { transitions, singular }: Resource,
  locked: LockedRecord,
  values: RecordValues,
): RecordValues {
  if (transitions === undefined) return values;
  const { field, moves, stamps } = transitions;
  const [from, to] = [String(locked.values[field]), String(values[field])];
  if (from === to) return values;
  const allowed = moves[from] ?? [];
  if (!allowed.includes(to)) {
    throw new ApiError(
      'invalid_transition',
      `The ${field} of a ${singular} cannot change from ${from} to ${to}. Allowed from ${from}: ${allowed.join(', ')}.`,
    );
  }
  const stamp = stamps[to];
  return stamp === undefined || values[stamp] !== null
    ? values
    : { ...values, [stamp]: timeOfMicros(locked.at) };
}

/** A record that a transaction has locked. No other transaction writes to its workspace until this one ends. */
interface LockedRecord {
  readonly id: string;
  /** The row's place in the table (ctid). It stays until the transaction ends, because the row is locked. */
  readonly place: string;
  readonly doc: string;
  readonly values: RecordValues;
  /** The timestamp of this write. */
  readonly at: Micros;
}

/** Writes the new values of a locked record and returns its new wire JSON. It writes nothing if no value changes. */
async function updateRecord(
  client: pg.ClientBase,
  workspaceId: string,
  resource: Resource,
  locked: LockedRecord,
  values: RecordValues,
): Promise<string> {
  if (docOf(resource, values) === locked.doc) return locked.doc;
  const changed: RecordValues =
    'updatedAt' in resource.fields ? { ...values, updatedAt: timeOfMicros(locked.at) } : values;
  const written = canonicalValues(resource, changed);
  const doc = JSON.stringify(written);
  const names = Object.keys(resource.fields).filter((name) => name !== 'id' && name !== 'createdAt');
  const assignments = names.map((name, i) => `${columnName(name)} = $${i + 5}`).join(', ');
  const { relation } = resource.list;
  const update = updateOne(
    `update_${relation}`,
    `update ${relation} set doc = $4, ${assignments} where workspace_id = $1 and id = $2 and ctid = $3`,
  );
  const columns = names.map((name) => written[name] ?? null);
  await client.query(update(workspaceId, locked.id, locked.place, doc, ...columns));
  const { id, at } = locked;
  const change = updateOf(resource, { at, id, doc, values: written }, locked.values);
  const counts = movedCounts(resource, locked.values, written);
  await noteChanges(client, workspaceId, resource, noteOf([change], counts));
  return doc;
}

/** How a record that has new values changes the counters: only if it has another company. */
function movedCounts(
  resource: Resource,
  before: RecordValues,
  after: RecordValues,
): ReadonlyMap<string, number> {
  const parent = parentField(resource);
  if (parent === undefined || after[parent] === before[parent]) return new Map();
  return new Map([
    [String(before[parent]), -1],
    [String(after[parent]), 1],
  ]);
}
