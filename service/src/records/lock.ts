import type { Micros } from '@svc/exact-times/micros';
import { strongEtag } from '@svc/http-content/etag';
import { atOnce } from '@svc/pipelined-postgres/at-once';
import { isId } from '@svc/sdk/contract';
import type pg from 'pg';
import { allocateTimestamps } from '../changes/clock.ts';
import { lookUp } from '../database/look-up.ts';
import { preparedStatements } from '../database/statement.ts';
import { ApiError } from '../http/errors.ts';
import type { Scope } from '../list/read.ts';
import type { Resource } from '../resources/define.ts';
import type { RecordValues } from './row.ts';

/** A record that a transaction has locked. No other transaction writes to its workspace until this one ends. */
export interface LockedRecord {
  readonly id: string;
  /** The row's place in the table. It stays until the transaction ends, because the row is locked. */
  readonly ctid: string;
  readonly doc: string;
  readonly values: RecordValues;
  /** The timestamp of this write. */
  readonly at: Micros;
}

/** The headers that say when a record may be written. Undefined: the request has no such header. */
export interface Conditions {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

const selectLocked = preparedStatements('lock_record', 'request');
const selectLockedMany = preparedStatements('lock_records', 'bulk');

const SELECTED = 'doc, ctid::text as ctid';
const inScope = ({ companyColumn }: Resource['list']): string =>
  `($3::text is null or ${companyColumn ?? 'id'} = $3)`;

interface LockedRow {
  readonly doc: string;
  readonly ctid: string;
}

const lockedOf = (id: string, { doc, ctid }: LockedRow, at: Micros): LockedRecord => ({
  id,
  ctid,
  doc,
  values: JSON.parse(doc) as RecordValues,
  at,
});

/** Locks the clock of the workspace and a record. Undefined: the scope has no such record. */
export async function lockRecord(
  client: pg.ClientBase,
  { list }: Resource,
  { workspaceId, companyId }: Scope,
  id: string,
): Promise<LockedRecord | undefined> {
  if (!isId(id)) return undefined;
  const select = selectLocked(
    `lock_${list.relation}`,
    `${lookUp({ select: SELECTED, from: list.relation, and: inScope(list) })} for no key update`,
  );
  const [at, { rows }] = await atOnce(client, () => [
    allocateTimestamps(client, workspaceId, 1),
    client.query<LockedRow>(select(workspaceId, id, companyId)),
  ]);
  const [row] = rows;
  return row && lockedOf(id, row, at);
}

/**
 * Locks the clock of the workspace and the records with these ids, which differ. Each record has its own timestamp, in the
 * order of the ids. Undefined, at the place of an id: the scope has no such record.
 */
export async function lockRecords(
  client: pg.ClientBase,
  { list }: Resource,
  { workspaceId, companyId }: Scope,
  ids: readonly string[],
): Promise<readonly (LockedRecord | undefined)[]> {
  const one = lookUp({ select: SELECTED, from: list.relation, key: 'wanted.id', and: inScope(list) });
  const select = selectLockedMany(
    `lock_many_${list.relation}`,
    `select found.doc, found.ctid, wanted.number::int as number
     from unnest($2::text[]) with ordinality as wanted (id, number) cross join lateral (
       ${one} for no key update) found`,
  );
  const [first, { rows }] = await atOnce(client, () => [
    allocateTimestamps(client, workspaceId, ids.length),
    client.query<LockedRow & { number: number }>(select(workspaceId, ids, companyId)),
  ]);
  const locked = new Array<LockedRecord | undefined>(ids.length).fill(undefined);
  for (const row of rows) {
    const index = row.number - 1;
    locked[index] = lockedOf(ids[index] ?? '', row, first + index);
  }
  return locked;
}

/**
 * Locks the clock of the workspace and a record. Throws `not_found` if the scope has no such record, and
 * `precondition_failed` if its ETag does not fulfil the conditions.
 */
export async function lockMatching(
  client: pg.ClientBase,
  resource: Resource,
  scope: Scope,
  id: string,
  conditions: Conditions,
): Promise<LockedRecord> {
  const locked = await lockRecord(client, resource, scope, id);
  if (locked === undefined) throw new ApiError('not_found', `There is no such ${resource.singular}.`);
  requireConditions(resource, locked, conditions);
  return locked;
}

/** Throws `precondition_failed`. A record that does not exist matches no ETag (RFC 9110). */
export function requireConditions(
  { singular }: Resource,
  locked: LockedRecord | undefined,
  { ifMatch, ifNoneMatch }: Conditions,
): void {
  if (ifMatch === undefined && ifNoneMatch === undefined) return;
  const refuse = (message: string) => new ApiError('precondition_failed', message);
  if (locked === undefined) {
    if (ifMatch !== undefined) throw refuse(`There is no such ${singular}.`);
    return;
  }
  const etag = strongEtag(locked.doc);
  if (ifMatch !== undefined && !matches(ifMatch, etag))
    throw refuse(`The ${singular} has changed since it was read. Read it again, then repeat the change.`);
  if (ifNoneMatch !== undefined && matches(ifNoneMatch.replaceAll('W/', ''), etag))
    throw refuse(
      `The ${singular} ${ifNoneMatch.trim() === '*' ? 'exists already' : 'has an ETag of If-None-Match'}.`,
    );
}

/** If-Match uses strong comparison (RFC 9110). */
const matches = (header: string, etag: string): boolean =>
  header.trim() === '*' || header.split(',').some((tag) => tag.trim() === etag);
