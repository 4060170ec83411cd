import { microsOfTime, timeOfMicros } from '@svc/exact-times/micros';
import { strongEtag } from '@svc/http-content/etag';
import { atOnce, type Start } from '@svc/pipelined-postgres/at-once';
import type { WriteMode } from '@svc/sdk/contract';
import type pg from 'pg';
import { ApiError, FieldsError, invalidBody } from '../http/errors.ts';
import type { Scope } from '../list/read.ts';
import type { Resource } from '../resources/define.ts';
import { requireData, requireEach } from './batch/body.ts';
import { parentField } from './counters.ts';
import { insertUnfinished, type UnfinishedInsert } from './insert.ts';
import { type RecordInput, rowOf } from './row.ts';
import { validateRecord } from './validate.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The result of a write: its answer, and the ids for its audit entry. */
export interface WriteResult {
  readonly answer: Answer;
  readonly recordIds: readonly string[];
  /** Stored instead of the body, if `bodyFromRecipe` can create the body from it. */
  readonly recipe?: object;
}

/** A write that has its result. It is complete once the statements that `finish` starts have ended. */
export interface StartedWrite<Result extends WriteResult = WriteResult> {
  readonly result: Result;
  readonly finish: Start;
}

/** A write whose request is valid. */
export interface RecordWrite<Result extends WriteResult = WriteResult> {
  /** Writes in the caller's transaction, which also runs `finish`: see {@link complete}. */
  readonly start: (client: pg.ClientBase) => Promise<StartedWrite<Result>>;
  /** Creates the body of a repeated response from its recipe. Default: the write has no recipe. */
  readonly bodyFromRecipe?: (recipe: object) => string;
}

/** Carries out a write in the caller's transaction. */
export async function complete<Result extends WriteResult>(
  { start }: RecordWrite<Result>,
  client: pg.ClientBase,
): Promise<Result> {
  const { result, finish } = await start(client);
  await atOnce(client, finish);
  return result;
}

const CREATED = 201;

/**
 * Validates a record and returns the write that creates it. The write throws `conflict` for a taken id and `invalid_body`
 * for a company that does not exist.
 */
export function createRecord(resource: Resource, scope: Scope, body: unknown): RecordWrite {
  const inputs = [requireRecord(resource, body, 'create')];
  const at = () => '';
  refuseOtherCompanies(resource, scope, inputs, at);
  return {
    start: async (client) => {
      const { inserted, finish } = await insertAll(client, resource, scope, inputs, at);
      const [created] = inserted;
      if (created === undefined) throw new Error('A record was neither created nor refused.');
      const { id, doc } = created;
      const headers = { location: `${resource.path}/${id}`, etag: strongEtag(doc) };
      return { result: { answer: { status: CREATED, headers, body: doc }, recordIds: [id] }, finish };
    },
  };
}

/** Validates the records of a batch and returns the write that creates all of them or none. Throws like createRecord. */
export function createBatch(resource: Resource, scope: Scope, body: unknown): RecordWrite {
  const inputs = requireBatch(resource, body);
  const at = (index: number) => `/data/${index}`;
  refuseOtherCompanies(resource, scope, inputs, at);
  return {
    start: async (client) => {
      const { inserted, finish } = await insertAll(client, resource, scope, inputs, at);
      const recordIds = inserted.map(({ id }) => id);
      const recipe: BatchRecipe = {
        createdAt: inserted[0]?.createdAt ?? '',
        ids: recordIds.filter((_, index) => inputs[index]?.['id'] === undefined),
      };
      const answer = { status: CREATED, headers: {}, body: batchBody(inserted) };
      return { result: { answer, recordIds, recipe }, finish };
    },
    bodyFromRecipe: (recipe) => batchBodyFromRecipe(resource, inputs, recipe as BatchRecipe),
  };
}

/** The record in a body. Throws `invalid_body`. */
export function requireRecord(resource: Resource, body: unknown, mode: WriteMode): RecordInput {
  const result = validateRecord(resource, body, mode);
  if (result.ok) return result.input;
  throw invalidBody(result.failures);
}

/** The records in the body of a batch. Throws `invalid_body`. */
const requireBatch = (resource: Resource, body: unknown): readonly RecordInput[] =>
  requireEach(requireData(body), (value) => validateRecord(resource, value, 'create'));

/** Throws `insufficient_scope` if the scope is limited to a company and an input belongs to another. */
function refuseOtherCompanies(
  resource: Resource,
  { companyId }: Scope,
  inputs: readonly RecordInput[],
  at: (index: number) => string,
): void {
  if (companyId === null) return;
  const parent = parentField(resource);
  if (parent === undefined)
    throw new ApiError('insufficient_scope', 'This key is limited to one company and cannot create another.');
  const failures = inputs.flatMap((input, index) =>
    input[parent] === companyId ? [] : [{ field: `${at(index)}/${parent}`, reason: onlyCompany(companyId) }],
  );
  if (failures.length > 0) throw new FieldsError('insufficient_scope', failures);
}

/** Why a key that is limited to a company cannot write a record of another. */
export const onlyCompany = (companyId: string): string =>
  `must be ${companyId}, because this key is limited to one company`;

/** Inserts all records or none. `at` returns the JSON pointer of a record in the body. */
async function insertAll(
  client: pg.ClientBase,
  resource: Resource,
  { workspaceId }: Scope,
  inputs: readonly RecordInput[],
  at: (index: number) => string,
): Promise<UnfinishedInsert> {
  const parent = parentField(resource);
  const stamped = (input: RecordInput, createdAt: string) => stampedOnCreation(resource, input, createdAt);
  const result = await insertUnfinished(client, workspaceId, resource, inputs, stamped);
  const [existing] = result.existing;
  if (existing !== undefined) throw idTaken(resource, inputs, existing, at);
  const missing = result.withoutCompany.map((index) => ({
    field: `${at(index)}/${parent}`,
    reason: noCompany(inputs[index], parent),
  }));
  if (missing.length > 0) throw invalidBody(missing);
  return result;
}

/** The refusal of an id that a record of the workspace or an earlier input has. */
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

export const noCompany = (input: RecordInput | undefined, parent = 'companyId'): string =>
  `names a company that does not exist: ${String(input?.[parent])}`;

/** Sets the time of the state that a record is created in, unless the input has this time. */
function stampedOnCreation({ transitions }: Resource, input: RecordInput, at: string): RecordInput {
  const stamp = transitions?.stamps[String(input[transitions.field])];
  return stamp === undefined || (input[stamp] ?? null) !== null ? input : { ...input, [stamp]: at };
}

/** The parts of a batch's response that its request does not contain. The request and these parts give the same response. */
interface BatchRecipe {
  /** createdAt of the first record. Each of the others is one microsecond later. */
  readonly createdAt: string;
  /** The time at which the records entered their first states, in milliseconds. Default: the createdAt of each. */
  readonly nowMs?: number;
  /** The ids that the service has generated, in the order of the request. */
  readonly ids: readonly string[];
}

/** The response to a batch: the records in the order of the request. */
export const batchBody = (records: readonly { readonly doc: string }[]): string =>
  `{"data":[${records.map(({ doc }) => doc).join(',\n')}]}`;

/** Creates the body of the first response again, also if its records have changed since. */
function batchBodyFromRecipe(
  resource: Resource,
  inputs: readonly RecordInput[],
  { createdAt, nowMs, ids }: BatchRecipe,
): string {
  const first = microsOfTime(createdAt);
  const generated = ids[Symbol.iterator]();
  const rows = inputs.map((input, index) => {
    const id = input['id'] ?? generated.next().value;
    const now = timeOfMicros(first + index);
    const stamped = nowMs === undefined ? now : new Date(nowMs).toISOString();
    return rowOf(resource, { ...stampedOnCreation(resource, input, stamped), id }, now);
  });
  return batchBody(rows);
}
