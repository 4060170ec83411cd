import { canonicalTime } from '@svc/exact-times/canonical-time';
import { type Micros, timeOfMicros } from '@svc/exact-times/micros';
import { atOnce, type Start } from '@svc/pipelined-postgres/at-once';
import type pg from 'pg';
import { allocateTimestamps } from '../changes/clock.ts';
import { newId } from '../config/ids.ts';
import { lookUp } from '../database/look-up.ts';
import { preparedStatements } from '../database/statement.ts';
import type { Resource } from '../resources/define.ts';
import {
  type Accepted,
  copyAccepted,
  type Inserted,
  insertion,
  noteOfCreations,
  type Records,
} from './copy.ts';
import { noteChanges, parentField } from './counters.ts';
import { FIRST_ID, type LastId, lastIdOf, orderIds, type Uncommitted } from './id-order.ts';
import type { RecordInput } from './row.ts';

/** The result of each input, by its index, in input order. */
export interface InsertResult {
  readonly inserted: readonly Inserted[];
  /** Inputs whose id a record of the workspace or an earlier input has. */
  readonly existing: readonly number[];
  /** Inputs whose company does not exist. */
  readonly withoutCompany: readonly number[];
  /**
   * Inputs whose createdAt or updatedAt is not in the past, and the name of the field. They are refused: a client that pages
   * towards newer records and has read such a record would miss the records that are created before its createdAt. And the
   * clock of the workspace is later than all times that it has given.
   */
  readonly notPast: ReadonlyMap<number, string>;
}

/**
 * Writes validated records in the caller's transaction, which is READ COMMITTED, and counts them. It first locks the
 * clock of the workspace, so no other writer can change what it looks up before the transaction ends. In input order,
 * each generated createdAt is one microsecond later than the one before.
 */
export async function insertRecords(
  client: pg.ClientBase,
  workspaceId: string,
  resource: Resource,
  inputs: readonly RecordInput[],
): Promise<InsertResult> {
  const { finish, ...result } = await insertUnfinished(client, workspaceId, resource, inputs);
  await atOnce(client, finish);
  return result;
}

/** The result of inputs whose last statements are not started. */
export interface UnfinishedInsert extends InsertResult {
  readonly finish: Start;
}

/**
 * Like {@link insertRecords}, but the caller starts the last statements with its own. `stamped` adds the createdAt.
 */
export async function insertUnfinished(
  client: pg.ClientBase,
  workspaceId: string,
  resource: Resource,
  inputs: readonly RecordInput[],
  stamped?: (input: RecordInput, createdAt: string) => RecordInput,
): Promise<UnfinishedInsert> {
  if (inputs.length === 0) return { ...NOTHING_INSERTED, finish: () => [] };
  const records = { workspaceId, resource };
  const [first, ...found] = await atOnce(client, () => [
    allocateTimestamps(client, workspaceId, inputs.length),
    ...find(client, records, inputs),
  ]);
  const completed = stamped ? inputs.map((input, i) => stamped(input, timeOfMicros(first + i))) : inputs;
  const { accepted, last, ...others } = await accept(client, records, completed, first, found);
  return { ...(await write(client, records, accepted, first)), ...others };
}

/** Writes accepted inputs. `finish` starts the last statements. */
async function write(
  client: pg.ClientBase,
  records: Records,
  accepted: readonly Accepted[],
  first: Micros,
): Promise<{ readonly inserted: readonly Inserted[]; readonly finish: Start }> {
  const { workspaceId, resource } = records;
  const note = async (inserted: readonly Inserted[]): Promise<void> =>
    noteChanges(client, workspaceId, resource, noteOfCreations(resource, accepted, inserted, first));
  const [one, another] = accepted;
  if (one === undefined) return { inserted: [], finish: () => [] };
  if (another === undefined) {
    const { inserted, insert } = insertion(client, records, one, first);
    return { inserted: [inserted], finish: () => [insert(), note([inserted])] };
  }
  const inserted = await copyAccepted(client, records, accepted, first);
  return { inserted, finish: () => [note(inserted)] };
}

export const NOTHING_INSERTED: InsertResult = {
  inserted: [],
  existing: [],
  withoutCompany: [],
  notPast: new Map(),
};

/** Inputs after the comparison with the records of the workspace. Each input is in exactly one of the lists. */
export interface Acceptance extends Omit<InsertResult, 'inserted'> {
  readonly accepted: readonly Accepted[];
  /** The last id after the accepted inputs. Undefined: the table has no column `id_order`. */
  readonly last: LastId | undefined;
}

/**
 * Compares inputs with the records of the workspace. The caller holds the lock of the clock, and has allocated a
 * timestamp for each input, starting with `first`.
 */
export async function acceptInputs(
  client: pg.ClientBase,
  records: Records,
  inputs: readonly RecordInput[],
  first: Micros,
  before?: Uncommitted,
): Promise<Acceptance> {
  const found = await atOnce(client, () => find(client, records, inputs, before));
  return accept(client, records, inputs, first, found, before);
}

/** What inputs are compared with. `taken`: their ids that the workspace has. `companies`: those that exist. */
type Found = readonly [taken: Set<string>, companies: ReadonlySet<string>, last: LastId];

/** Starts to look for what inputs are compared with. */
const find = (
  client: pg.ClientBase,
  { workspaceId, resource }: Records,
  inputs: readonly RecordInput[],
  before?: Uncommitted,
): readonly [Promise<Found[0]>, Promise<Found[1]>, Promise<Found[2]>] => {
  const { relation, shortKeys } = resource.list;
  const parent = parentField(resource);
  const none = Promise.resolve(new Set<string>());
  return [
    existingIds(client, workspaceId, relation, texts(inputs, 'id')),
    parent === undefined ? none : existingIds(client, workspaceId, 'companies', texts(inputs, parent)),
    shortKeys ? lastIdOf(client, relation, workspaceId, before) : Promise.resolve(FIRST_ID),
  ];
};

async function accept(
  client: pg.ClientBase,
  { workspaceId, resource }: Records,
  inputs: readonly RecordInput[],
  first: Micros,
  [taken, companies, last]: Found,
  before?: Uncommitted,
): Promise<Acceptance> {
  const accepted: Accepted[] = [];
  const existing: number[] = [];
  const withoutCompany: number[] = [];
  const notPast = new Map<number, string>();
  const now = timeOfMicros(first);
  const { shortKeys } = resource.list;
  const parent = parentField(resource);
  const times = ['createdAt', ...resource.server.filter((name) => name !== 'createdAt')];
  inputs.forEach((values, index) => {
    const { id } = values;
    const future = times.find((name) => isNotPast(values[name], now));
    if (typeof id === 'string' && (taken.has(id) || before?.ids.has(id))) existing.push(index);
    else if (parent !== undefined && !companies.has(String(values[parent]))) withoutCompany.push(index);
    else if (future !== undefined) notPast.set(index, future);
    else {
      const named = !shortKeys || typeof id === 'string';
      accepted.push({ index, values: named ? values : { ...values, id: newId(resource.idPrefix) } });
      if (typeof id === 'string') taken.add(id);
    }
  });
  const others = { existing, withoutCompany, notPast };
  if (!shortKeys) return { accepted, last: undefined, ...others };
  const ids = accepted.map(({ values }) => String(values['id']));
  const { relation } = resource.list;
  const ordering = await orderIds(client, relation, workspaceId, ids, last, before?.committed);
  const ordered = accepted.map(({ index, values }, i) => ({
    index,
    values,
    order: ordering.orders.get(ids[i] ?? ''),
  }));
  return { accepted: ordered, last: ordering.last, ...others };
}

/** `now` has the form of a canonical createdAt, so the texts compare like the times. */
const isNotPast = (time: RecordInput[string], now: string): boolean =>
  time != null && (canonicalTime(String(time), 'microseconds') ?? now) >= now;

/** All texts in one field of the inputs. */
export function texts(inputs: readonly RecordInput[], name: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const input of inputs) {
    const value = input[name];
    if (typeof value === 'string') found.add(value);
  }
  return found;
}

const selectExisting = preparedStatements('existing_records', 'bulk');

/** Returns the ids that exist. Looks up each id separately. */
async function existingIds(
  client: pg.ClientBase,
  workspaceId: string,
  relation: string,
  ids: ReadonlySet<string>,
): Promise<Set<string>> {
  if (ids.size === 0) return new Set();
  const select = selectExisting(
    `existing_${relation}`,
    `select wanted.id from unnest($2::text[]) as wanted (id) cross join lateral (
      ${lookUp({ select: '1', from: relation, key: 'wanted.id' })}) found`,
  );
  const { rows } = await client.query<{ id: string }>(select(workspaceId, [...ids]));
  return new Set(rows.map((row) => row.id));
}
