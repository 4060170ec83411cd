import { timeOfMicros } from '@svc/exact-times/micros';
import type { Change } from '@svc/packed-changes';
import type pg from 'pg';
import { failedFor } from '../database/errors.ts';
import { lookUp } from '../database/look-up.ts';
import { preparedStatements, statement } from '../database/statement.ts';
import { ApiError, FieldsError, invalidBody } from '../http/errors.ts';
import type { Scope } from '../list/read.ts';
import { columnName, type Resource } from '../resources/define.ts';
import { deletionOf, updateOf } from './changes.ts';
import { countsOf, noteChanges, noteOf, parentField } from './counters.ts';
import { noCompany, onlyCompany } from './create.ts';
import type { LockedRecord } from './lock.ts';
import { canonicalValues, docOf, type RecordInput, type RecordValues } from './row.ts';

/** Changes of locked records. The caller notes them with {@link noteApplied}, in the same transaction. */

const updateOne = preparedStatements('update_record', 'request');
const deleteOne = preparedStatements('delete_record', 'request');

/** A change that is written, but not noted yet. */
export interface Applied {
  readonly id: string;
  /** The record's wire JSON after the change. Empty: it is deleted. */
  readonly doc: string;
  /** Undefined: no value has changed. */
  readonly change?: Change;
  /** How the change changes the counters, by company. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Appends the changes to the feed, in their order, and counts them. Records that are unchanged are left out. */
export async function noteApplied(
  client: pg.ClientBase,
  workspaceId: string,
  resource: Resource,
  applied: readonly Applied[],
): Promise<void> {
  const changes = applied.flatMap(({ change }) => change ?? []);
  if (changes.length === 0) return;
  const counts = new Map<string, number>();
  for (const { counts: own } of applied)
    for (const [company, records] of own) counts.set(company, (counts.get(company) ?? 0) + records);
  await noteChanges(client, workspaceId, resource, noteOf(changes, counts));
}

/** The ids of the records that have changed. */
export const changedIds = (applied: readonly Applied[]): readonly string[] =>
  applied.flatMap(({ id, change }) => (change === undefined ? [] : [id]));

/**
 * Writes new values of a locked record, or nothing if they are the old ones. `given`: the fields of the request. Throws
 * `invalid_transition`, `invalid_body` for a company that does not exist, and `insufficient_scope` for a company that the
 * scope is not limited to.
 */
export async function updateLocked(
  client: pg.ClientBase,
  resource: Resource,
  scope: Scope,
  locked: LockedRecord,
  values: RecordValues,
  given: RecordInput,
): Promise<Applied> {
  const stamped = stampedOnMove(resource, locked, values, given);
  await checkCompany(client, resource, scope, locked, stamped);
  return updateRecord(client, scope.workspaceId, resource, locked, stamped);
}

/** Deletes a locked record. Throws `conflict` if keys or other records depend on it. */
export async function deleteLocked(
  client: pg.ClientBase,
  resource: Resource,
  { workspaceId }: Scope,
  locked: LockedRecord,
): Promise<Applied> {
  const { id, ctid, at, values } = locked;
  if (resource.company === 'id' && (await hasActiveKey(client, workspaceId, id))) {
    throw new ApiError('conflict', `API keys are limited to the ${resource.singular}. Revoke them first.`);
  }
  try {
    const { relation } = resource.list;
    const text = `delete from ${relation} where workspace_id = $1 and id = $2 and ctid = $3`;
    await client.query(deleteOne(`delete_${relation}`, text)(workspaceId, id, ctid));
  } catch (error) {
    if (!failedFor(error, 'foreign_key_violation')) throw error;
    const advice = `Delete them first; a ${resource.singular} with audits cannot be deleted.`;
    throw new ApiError('conflict', `The ${resource.singular} still has records. ${advice}`);
  }
  return {
    id,
    doc: '',
    change: deletionOf(resource, at, id, values),
    counts: countsOf(resource, [locked], -1),
  };
}

const selectActiveKey = statement('active_key_of_company', 'request')`
  ${lookUp({ select: '1', from: 'api_keys', column: 'company_id', and: 'revoked_at is null' })}`;

async function hasActiveKey(client: pg.ClientBase, workspaceId: string, companyId: string): Promise<boolean> {
  const { rowCount } = await client.query(selectActiveKey(workspaceId, companyId));
  return rowCount !== 0;
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
  if (scope.companyId !== null)
    throw new FieldsError('insufficient_scope', [
      { field: `/${parent}`, reason: onlyCompany(scope.companyId) },
    ]);
  const { rowCount } = await client.query(selectCompany(scope.workspaceId, values[parent]));
  if (rowCount === 0) throw invalidBody([{ field: `/${parent}`, reason: noCompany(values, parent) }]);
}

/**
 * Throws `invalid_transition` if the resource does not allow the change of state. Sets the time of the new state if it is
 * null. A repeat, which names the same state, changes nothing. Null without a state clears the time.
 */
function stampedOnMove(
  { transitions, singular }: Resource,
  locked: LockedRecord,
  values: RecordValues,
  given: RecordInput,
): RecordValues {
  if (transitions === undefined) return values;
  const { field, moves, stamps } = transitions;
  const [from, to] = [String(locked.values[field]), String(values[field])];
  const allowed = moves[from] ?? [];
  if (from !== to && !allowed.includes(to)) {
    throw new ApiError(
      'invalid_transition',
      `The ${field} of a ${singular} cannot change from ${from} to ${to}. Allowed from ${from}: ${allowed.join(', ')}.`,
    );
  }
  const stamp = stamps[to];
  if (stamp === undefined || values[stamp] !== null || !(field in given)) return values;
  return { ...values, [stamp]: (from === to ? locked.values[stamp] : timeOfMicros(locked.at)) ?? null };
}

async function updateRecord(
  client: pg.ClientBase,
  workspaceId: string,
  resource: Resource,
  locked: LockedRecord,
  values: RecordValues,
): Promise<Applied> {
  const { id, at, doc: before } = locked;
  if (docOf(resource, values) === before) return { id, doc: before, counts: new Map() };
  const changed: RecordValues =
    'updatedAt' in resource.fields ? { ...values, updatedAt: timeOfMicros(at) } : values;
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
  await client.query(update(workspaceId, id, locked.ctid, doc, ...columns));
  const change = updateOf(resource, { at, id, doc, values: written }, locked.values);
  return { id, doc, change, counts: movedCounts(resource, locked.values, written) };
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
