import { ID_ALLOWED, isId } from '@svc/sdk/contract';
import type pg from 'pg';
import { ApiError, errorAt, type FieldFailure } from '../../http/errors.ts';
import type { Scope } from '../../list/read.ts';
import type { Resource } from '../../resources/define.ts';
import { type Applied, changedIds, deleteLocked, noteApplied, updateLocked } from '../apply.ts';
import { batchBody, type RecordWrite } from '../create.ts';
import { type LockedRecord, lockRecords } from '../lock.ts';
import { changedFields, merge, type PatchResult } from '../mutations.ts';
import type { RecordInput } from '../row.ts';
import { pointerTo, type Validation, validateRecord } from '../validate.ts';
import { requireData, requireEach } from './body.ts';

/**
 * Validates a batch of merge patches, each with the `id` of its record, and returns the write that applies all of them or
 * none. Its answer has the records in the order of the request. Throws like `patchRecord`; messages name the index.
 */
export function patchBatch(resource: Resource, scope: Scope, body: unknown): RecordWrite<PatchResult> {
  const patches = requireTargets(body, (fields) => validateRecord(resource, fields, 'patch'));
  return {
    start: async (client) => {
      const applied = await applyEach(client, resource, scope, patches, (locked, patch) =>
        updateLocked(client, resource, scope, locked, merge(locked.values, patch), patch),
      );
      const answer = { status: 200, headers: {}, body: batchBody(applied) };
      const result = { answer, recordIds: changedIds(applied), changed: changedFields(resource, applied) };
      return { result, finish: () => [noteApplied(client, scope.workspaceId, resource, applied)] };
    },
  };
}

/** Validates a batch of ids, and returns the write that deletes all of these records or none. Throws like `removeRecord`. */
export function removeBatch(resource: Resource, scope: Scope, body: unknown): RecordWrite {
  const targets = requireTargets(body, (fields) => {
    const [unknown] = Object.keys(fields);
    return unknown === undefined
      ? { ok: true, input: {} }
      : { ok: false, failures: [{ field: pointerTo(unknown), reason: 'is not a field here; allowed: id' }] };
  });
  return {
    start: async (client) => {
      const applied = await applyEach(client, resource, scope, targets, (locked) =>
        deleteLocked(client, resource, scope, locked),
      );
      const answer = { status: 204, headers: {}, body: '' };
      return {
        result: { answer, recordIds: changedIds(applied) },
        finish: () => [noteApplied(client, scope.workspaceId, resource, applied)],
      };
    },
  };
}

/** A record of the request: its id, and its fields without the id. */
interface Target {
  readonly id: string;
  readonly input: RecordInput;
}

/** The records of the request. Each has another id. Throws `invalid_body`. */
function requireTargets(body: unknown, check: (fields: object) => Validation): readonly Target[] {
  const indexes = new Map<string, number>();
  return requireEach(requireData(body), (value, index) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { ok: false, failures: [{ field: '', reason: 'must be a JSON object' }] };
    const { id, ...fields } = value as { readonly id?: unknown };
    const failures: FieldFailure[] = [];
    if (typeof id !== 'string' || !isId(id)) {
      failures.push({
        field: '/id',
        reason: id === undefined ? 'is required' : `must be an id: ${ID_ALLOWED}`,
      });
    } else {
      const earlier = indexes.get(id);
      if (earlier === undefined) indexes.set(id, index);
      else failures.push({ field: '/id', reason: `must differ from /data/${earlier}/id` });
    }
    const checked = check(fields);
    if (!checked.ok) failures.push(...checked.failures);
    return failures.length === 0 && checked.ok
      ? { ok: true, input: { id: String(id), input: checked.input } }
      : { ok: false, failures };
  });
}

/** Locks the records and applies a change to each, in their order. Throws `not_found`. The caller notes the changes. */
async function applyEach(
  client: pg.ClientBase,
  resource: Resource,
  scope: Scope,
  targets: readonly Target[],
  apply: (locked: LockedRecord, input: RecordInput) => Promise<Applied>,
): Promise<readonly Applied[]> {
  const ids = targets.map(({ id }) => id);
  const records = await lockRecords(client, resource, scope, ids);
  const applied: Applied[] = [];
  for (const [index, { id, input }] of targets.entries()) {
    const locked = records[index];
    try {
      if (locked === undefined) throw new ApiError('not_found', `There is no ${resource.singular} ${id}.`);
      applied.push(await apply(locked, input));
    } catch (error) {
      throw error instanceof ApiError ? errorAt(`/data/${index}`, error) : error;
    }
  }
  return applied;
}
