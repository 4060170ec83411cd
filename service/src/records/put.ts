import { strongEtag } from '@svc/http-content/etag';
import { isId, isNewId } from '@svc/sdk/contract';
import type pg from 'pg';
import { ApiError, invalidBody } from '../http/errors.ts';
import type { Scope } from '../list/read.ts';
import type { Resource } from '../resources/define.ts';
import { type Applied, changedIds, noteApplied, updateLocked } from './apply.ts';
import { createRecord, type RecordWrite, requireRecord } from './create.ts';
import { type Conditions, type LockedRecord, lockRecord, requireConditions } from './lock.ts';
import { docOf, type RecordInput, type RecordValues, rowOf } from './row.ts';

/**
 * Validates a whole record and returns the write that creates it with this id, or replaces the record that has it. Throws
 * like `createRecord` and `patchRecord`. A record that never changes can only be written again as it is; otherwise
 * `conflict`.
 */
export function putRecord(
  resource: Resource,
  scope: Scope,
  id: string,
  body: unknown,
  conditions: Conditions,
): RecordWrite {
  const input = requireNamed(resource, body, id);
  return {
    start: async (client) => {
      const locked = await lockRecord(client, resource, scope, id);
      requireConditions(resource, locked, conditions);
      if (locked === undefined) return createRecord(resource, scope, input).start(client);
      const applied = await replaceLocked(client, resource, scope, locked, input);
      const { doc } = applied;
      const answer = { status: 200, headers: { etag: strongEtag(doc) }, body: doc };
      return {
        result: { answer, recordIds: changedIds([applied]) },
        finish: () => [noteApplied(client, scope.workspaceId, resource, [applied])],
      };
    },
  };
}

/** Replaces a locked record. Throws like {@link putRecord}. */
export async function replaceLocked(
  client: pg.ClientBase,
  resource: Resource,
  scope: Scope,
  locked: LockedRecord,
  input: RecordInput,
): Promise<Applied> {
  const values = replaced(resource, locked, input);
  if (resource.immutable && docOf(resource, values) !== locked.doc) {
    const { singular } = resource;
    throw new ApiError(
      'conflict',
      `The ${singular} ${locked.id} exists with other values and cannot be changed.`,
    );
  }
  return updateLocked(client, resource, scope, locked, values, input);
}

/** The record in a body, with the id of its path. A record from before the id was reserved can still be replaced. */
function requireNamed(resource: Resource, body: unknown, id: string): RecordInput {
  const named = withId(body, id);
  if (isNewId(id) || !isId(id) || named === body) return requireRecord(resource, named, 'create');
  const { id: _, ...others } = named as RecordInput;
  return { ...requireRecord(resource, others, 'create'), id };
}

/** The record in a body, with the id of its path. Throws `invalid_body` if the body has another id. */
function withId(body: unknown, id: string): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  if ('id' in body && body.id !== id)
    throw invalidBody([{ field: '/id', reason: 'must be the id in the path, or left out' }]);
  return { ...body, id };
}

/**
 * The values of a record that is replaced. The fields that the service sets stay, and so do the times of its states that the
 * input leaves out: a request that is repeated changes nothing. Other fields that are left out get their default.
 */
function replaced(resource: Resource, { values }: LockedRecord, input: RecordInput): RecordValues {
  const { server, transitions } = resource;
  const kept = [...server, ...Object.values(transitions?.stamps ?? {})];
  const old = Object.fromEntries(kept.map((name) => [name, values[name]]));
  return rowOf(resource, { ...old, ...input }, '').values;
}
