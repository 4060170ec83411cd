import type pg from 'pg';
import { failedFor } from '../database/sql-state.ts';
import { ApiError, invalidBody } from '../http/errors.ts';
import { strongEtag } from '../http/etag.ts';
import type { Resource } from '../resources/define.ts';
import { isId } from '../resources/field.ts';
import { deleteRecord, type LockedRecord, lockRecord, updateRecord } from './change.ts';
import { parentField } from './counters.ts';
import { type Inserted, insertRecords } from './insert.ts';
import type { RecordInput, RecordValues } from './row.ts';

/** What a write did: its answer, and the ids for its audit entry. */
export interface WriteResult {
  readonly answer: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  readonly recordIds: readonly string[];
  /** What is stored for a repeat in place of the answer's body, when the body can be made again from it. */
  readonly recipe?: object;
}

/** Whose records a write may touch; company: the one that the key is limited to. */
export interface WriteScope {
  readonly workspaceId: string;
  readonly companyId: string | null;
}

/** Refuses to write records of a company other than the one that the key is limited to, before anything is asked or done. */
export function refuseOtherCompanies(
  resource: Resource,
  { companyId }: WriteScope,
  inputs: readonly RecordInput[],
): void {
  if (companyId === null) return;
  const parent = parentField(resource);
  if (parent === undefined || !inputs.every((input) => input[parent] === companyId)) throw otherCompany();
}

/** Creates all records or none, in the caller's transaction. `nowMs` stamps states; `at` gives a record's JSON pointer in the body. */
export async function createRecords(
  client: pg.PoolClient,
  resource: Resource,
  { workspaceId }: WriteScope,
  inputs: readonly RecordInput[],
  nowMs: number,
  at: (index: number) => string,
): Promise<readonly Inserted[]> {
  const parent = parentField(resource);
  const stamped = inputs.map((input) => stampedOnCreation(resource, input, nowMs));
  const result = await insertRecords(client, workspaceId, resource, stamped);
  const [existing] = result.existing;
  if (existing !== undefined) throw idTaken(resource, inputs, existing, at);
  const missing = result.withoutCompany.map((index) => ({
    field: `${at(index)}/${parent}`,
    reason: noCompany(inputs[index], parent),
  }));
  if (missing.length > 0) throw invalidBody(missing);
  return result.inserted;
}

/** Only the first of several inputs with one id can have been new. */
function idTaken(
  { singular }: Resource,
  inputs: readonly RecordInput[],
  index: number,
  at: (index: number) => string,
): ApiError {
  const id = inputs[index]?.['id'];
  const earlier = inputs.findIndex((input) => input['id'] === id);
  const why =
    earlier < index ? `${at(earlier)} has the same id` : `the ${singular} ${String(id)} exists already`;
  return new ApiError('conflict', `${at(index)}/id is taken: ${why}.`);
}

const noCompany = (input: RecordInput | undefined, parent = 'companyId'): string =>
  `names a company that does not exist: ${String(input?.[parent])}`;

const otherCompany = (): ApiError =>
  new ApiError(
    'insufficient_scope',
    'This key is limited to one company and cannot write records of another.',
  );

export interface PatchResult extends WriteResult {
  /** Names of the fields whose value is another one than before. */
  readonly changed: readonly string[];
}

/** JSON merge patch (RFC 7396) on a record, in the caller's transaction; names no record when it says what it said before. */
export async function patchRecord(
  client: pg.PoolClient,
  resource: Resource,
  scope: WriteScope,
  id: string,
  patch: RecordInput,
  ifMatch: string | undefined,
): Promise<PatchResult> {
  const held = await hold(client, resource, scope, id, ifMatch);
  const values = stampedOnMove(resource, held, merge(held.values, patch));
  await checkCompany(client, resource, scope, held, values);
  const doc = await updateRecord(client, scope.workspaceId, resource, held, values);
  const recordIds = doc === held.doc ? [] : [id];
  const changed = Object.keys(values).filter((name) => values[name] !== held.values[name]);
  return { answer: { status: 200, headers: { etag: strongEtag(doc) }, body: doc }, recordIds, changed };
}

/** Removes a record, in the caller's transaction. */
export async function removeRecord(
  client: pg.PoolClient,
  resource: Resource,
  scope: WriteScope,
  id: string,
  ifMatch: string | undefined,
): Promise<WriteResult> {
  const held = await hold(client, resource, scope, id, ifMatch);
  if (resource.company === 'id' && (await hasActiveKey(client, scope.workspaceId, id))) {
    throw new ApiError('conflict', `API keys are limited to the ${resource.singular}. Revoke them first.`);
  }
  try {
    await deleteRecord(client, scope.workspaceId, resource, held);
  } catch (error) {
    if (!failedFor(error, 'foreign_key_violation')) throw error;
    throw new ApiError('conflict', `The ${resource.singular} still has records. Delete them first.`);
  }
  return { answer: { status: 204, headers: {}, body: '' }, recordIds: [id] };
}

async function hasActiveKey(client: pg.PoolClient, workspaceId: string, companyId: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'select 1 from api_keys where workspace_id = $1 and company_id = $2 and revoked_at is null limit 1',
    [workspaceId, companyId],
  );
  return rowCount !== 0;
}

async function hold(
  client: pg.PoolClient,
  resource: Resource,
  scope: WriteScope,
  id: string,
  ifMatch: string | undefined,
): Promise<LockedRecord> {
  const held = isId(id) ? await lockRecord(client, scope, resource, id) : undefined;
  if (held === undefined) throw new ApiError('not_found', `There is no such ${resource.singular}.`);
  if (ifMatch !== undefined && !matches(ifMatch, strongEtag(held.doc))) {
    throw new ApiError(
      'precondition_failed',
      `The ${resource.singular} has changed since it was read. Read it again, then repeat the change.`,
    );
  }
  return held;
}

/** RFC 9110: If-Match compares strongly. */
const matches = (header: string, etag: string): boolean =>
  header.trim() === '*' || header.split(',').some((tag) => tag.trim() === etag);

function merge(values: RecordValues, patch: RecordInput): RecordValues {
  const merged = { ...values };
  for (const [name, value] of Object.entries(patch)) if (value !== undefined) merged[name] = value;
  return merged;
}

async function checkCompany(
  client: pg.PoolClient,
  resource: Resource,
  scope: WriteScope,
  held: LockedRecord,
  values: RecordValues,
): Promise<void> {
  const parent = parentField(resource);
  if (parent === undefined || values[parent] === held.values[parent]) return;
  if (scope.companyId !== null) throw otherCompany();
  const { rowCount } = await client.query('select 1 from companies where workspace_id = $1 and id = $2', [
    scope.workspaceId,
    values[parent],
  ]);
  if (rowCount === 0) throw invalidBody([{ field: `/${parent}`, reason: noCompany(values, parent) }]);
}

/** Refuses a move that the declaration does not allow, and stamps the time of the state that is entered. */
function stampedOnMove(
  { transitions, singular }: Resource,
  held: LockedRecord,
  values: RecordValues,
): RecordValues {
  if (transitions === undefined) return values;
  const { field, moves, stamps } = transitions;
  const [from, to] = [String(held.values[field]), String(values[field])];
  if (from === to) return values;
  const allowed = moves[from] ?? [];
  if (!allowed.includes(to)) {
    throw new ApiError(
      'invalid_transition',
      `The ${field} of a ${singular} cannot change from ${from} to ${to}. Allowed from ${from}: ${allowed.join(', ')}.`,
    );
  }
  const stamp = stamps[to];
  return stamp === undefined || values[stamp] !== null ? values : { ...values, [stamp]: held.now };
}

/** Sets the time of the state that a record is created in, if the writer gives none. */
export function stampedOnCreation({ transitions }: Resource, input: RecordInput, nowMs: number): RecordInput {
  const stamp = transitions?.stamps[String(input[transitions.field])];
  return stamp === undefined || (input[stamp] ?? null) !== null
    ? input
    : { ...input, [stamp]: new Date(nowMs).toISOString() };
}
