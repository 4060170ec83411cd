import type pg from 'pg';
import { ApiError, invalidBody } from '../http/errors.ts';
import type { Scope } from '../list/read.ts';
import type { Resource } from '../resources/define.ts';
import { allocateTimestamps, type Micros, timeOfMicros } from './clock.ts';
import { copyRows } from './copy.ts';
import { addToCounts, countsOf, parentField } from './counters.ts';
import { type RecordInput, type Row, rowOf } from './row.ts';
import { canonicalTime } from './time.ts';

export type { RecordInput } from './row.ts';

export interface Inserted {
  /** Index of the input. */
  readonly index: number;
  readonly id: string;
  readonly createdAt: string;
  /** The record's wire JSON. */
  readonly doc: string;
}

/** The result of each input, by its index, in input order. */
export interface InsertResult {
  readonly inserted: readonly Inserted[];
  /** Inputs whose id a record of the workspace or an earlier input has. */
  readonly existing: readonly number[];
  /** Inputs whose company does not exist. */
  readonly withoutCompany: readonly number[];
  /**
   * Inputs whose createdAt is not in the past. Otherwise a client that pages towards newer records would miss the
   * records that are created before that time.
   */
  readonly notPast: readonly number[];
}

/**
 * Writes validated records in the caller's transaction, which is READ COMMITTED, and counts them. It first locks the
 * clock of the workspace, so no other writer can change what it looks up before the transaction ends. In input order,
 * each createdAt is one microsecond later.
 */
export async function insertRecords(
  client: pg.ClientBase,
  workspaceId: string,
  resource: Resource,
  inputs: readonly RecordInput[],
): Promise<InsertResult> {
  if (inputs.length === 0) return NOTHING_INSERTED;
  const first = await allocateTimestamps(client, workspaceId, inputs.length);
  const { accepted, ...others } = await acceptInputs(client, { workspaceId, resource }, inputs, first);
  const inserted = await copyAccepted(client, { workspaceId, resource }, accepted, first);
  if (inserted.length > 0) await addToCounts(client, workspaceId, resource, countsOf(resource, accepted));
  return { inserted, ...others };
}

export const NOTHING_INSERTED: InsertResult = { inserted: [], existing: [], withoutCompany: [], notPast: [] };

/** The records of a resource in a workspace. */
interface Records {
  readonly workspaceId: string;
  readonly resource: Resource;
}

/** An input that may be written. */
export interface Accepted {
  /** Index of the input. */
  readonly index: number;
  readonly values: RecordInput;
}

/** Inputs after the comparison with the records of the workspace. Each input is in exactly one of the lists. */
export interface Acceptance extends Omit<InsertResult, 'inserted'> {
  readonly accepted: readonly Accepted[];
}

/**
 * Compares inputs with the records of the workspace. The caller holds the lock of the clock, and has allocated a
 * timestamp for each input, starting with `first`. `uncommitted`: ids that are taken but not visible to the transaction.
 */
export async function acceptInputs(
  client: pg.ClientBase,
  { workspaceId, resource }: Records,
  inputs: readonly RecordInput[],
  first: Micros,
  uncommitted: ReadonlySet<string> = new Set(),
): Promise<Acceptance> {
  const accepted: Accepted[] = [];
  const existing: number[] = [];
  const withoutCompany: number[] = [];
  const notPast: number[] = [];
  const now = timeOfMicros(first);
  const taken = await existingIds(client, workspaceId, resource.list.relation, texts(inputs, 'id'));
  const parent = parentField(resource);
  const companies =
    parent === undefined
      ? undefined
      : await existingIds(client, workspaceId, 'companies', texts(inputs, parent));

  for (const [index, values] of inputs.entries()) {
    const { id } = values;
    if (typeof id === 'string' && (taken.has(id) || uncommitted.has(id))) existing.push(index);
    else if (parent !== undefined && !companies?.has(String(values[parent]))) withoutCompany.push(index);
    else if (isNotPast(values, now)) notPast.push(index);
    else {
      accepted.push({ index, values });
      if (typeof id === 'string') taken.add(id);
    }
  }
  return { accepted, existing, withoutCompany, notPast };
}

/** Writes accepted inputs, each with its timestamp. The caller adds them to the counters. */
export async function copyAccepted(
  client: pg.ClientBase,
  { workspaceId, resource }: Records,
  accepted: readonly Accepted[],
  first: Micros,
): Promise<readonly Inserted[]> {
  const inserted: Inserted[] = [];
  // Each row is made when COPY asks for it.
  function* rows(): Generator<Row> {
    for (const { index, values } of accepted) {
      const row = rowOf(resource, values, timeOfMicros(first + index));
      inserted.push({ index, id: row.id, createdAt: row.createdAt, doc: row.doc });
      yield row;
    }
  }
  if (accepted.length > 0) await copyRows(client, workspaceId, resource, rows());
  return inserted;
}

/** `now` has the form of a canonical createdAt, so texts compare like times. */
function isNotPast({ createdAt }: RecordInput, now: string): boolean {
  return createdAt !== undefined && (canonicalTime(String(createdAt), 'microseconds') ?? now) >= now;
}

/** All texts in one field of the inputs. */
export function texts(inputs: readonly RecordInput[], name: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const input of inputs) {
    const value = input[name];
    if (typeof value === 'string') found.add(value);
  }
  return found;
}

/**
 * Returns the ids that exist. Each id is looked up separately; `offset 0` keeps the planner from another join. With
 * `id = any(…)`, a planner without statistics has read the whole of another index that ends in the id.
 */
async function existingIds(
  client: pg.ClientBase,
  workspaceId: string,
  relation: string,
  ids: ReadonlySet<string>,
): Promise<Set<string>> {
  if (ids.size === 0) return new Set();
  const { rows } = await client.query<{ id: string }>({
    name: `existing_${relation}`,
    text: `select wanted.id from unnest($2::text[]) as wanted (id) cross join lateral (
      select 1 from ${relation} where workspace_id = $1 and id = wanted.id offset 0) found`,
    values: [workspaceId, [...ids]],
  });
  return new Set(rows.map((row) => row.id));
}

/** Throws `insufficient_scope` if the scope is limited to a company and an input belongs to another. */
export function refuseOtherCompanies(
  resource: Resource,
  { companyId }: Scope,
  inputs: readonly RecordInput[],
): void {
  if (companyId === null) return;
  const parent = parentField(resource);
  if (parent === undefined || !inputs.every((input) => input[parent] === companyId)) throw otherCompany();
}

export const otherCompany = (): ApiError =>
  new ApiError(
    'insufficient_scope',
    'This key is limited to one company and cannot write records of another.',
  );

/**
 * Creates all records or none, in the caller's transaction. Throws `conflict` for a taken id and `invalid_body` for a
 * company that does not exist. `nowMs` is the time of the states that records are created in. `at` returns the JSON
 * pointer of a record in the body.
 */
export async function createRecords(
  client: pg.PoolClient,
  resource: Resource,
  { workspaceId }: Scope,
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

/** If several inputs have one id, the first of them may be new; the later ones are not. */
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
export function stampedOnCreation({ transitions }: Resource, input: RecordInput, nowMs: number): RecordInput {
  const stamp = transitions?.stamps[String(input[transitions.field])];
  return stamp === undefined || (input[stamp] ?? null) !== null
    ? input
    : { ...input, [stamp]: new Date(nowMs).toISOString() };
}
