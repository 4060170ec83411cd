import { strongEtag } from '@svc/http-content/etag';
import type { Scope } from '../list/read.ts';
import type { Resource } from '../resources/define.ts';
import { type Applied, changedIds, deleteLocked, noteApplied, updateLocked } from './apply.ts';
import { type RecordWrite, requireRecord, type WriteResult } from './create.ts';
import { type Conditions, lockMatching } from './lock.ts';
import type { RecordInput, RecordValues } from './row.ts';

export interface PatchResult extends WriteResult {
  /** Names of the fields whose value has changed, without those that only the service sets. */
  readonly changed: readonly string[];
}

export interface RemoveResult extends WriteResult {
  /** The stored JSON of the record that was deleted. */
  readonly doc: string;
}

/** Validates a JSON merge patch (RFC 7396) and returns the write that applies it. Without a change, `recordIds` is empty. */
export function patchRecord(
  resource: Resource,
  scope: Scope,
  id: string,
  body: unknown,
  conditions: Conditions,
): RecordWrite<PatchResult> {
  const patch = requireRecord(resource, body, 'patch');
  return {
    start: async (client) => {
      const locked = await lockMatching(client, resource, scope, id, conditions);
      const values = merge(locked.values, patch);
      const applied = await updateLocked(client, resource, scope, locked, values, patch);
      const { doc } = applied;
      return {
        result: {
          answer: { status: 200, headers: { etag: strongEtag(doc) }, body: doc },
          recordIds: changedIds([applied]),
          changed: changedFields(resource, [applied]),
        },
        finish: () => [noteApplied(client, scope.workspaceId, resource, [applied])],
      };
    },
  };
}

/** Names of the fields that changes of records have set, without those that only the service sets. */
export const changedFields = ({ server }: Resource, applied: readonly Applied[]): readonly string[] => [
  ...new Set(
    applied.flatMap(({ change }) => change?.changed?.filter((name) => !server.includes(name)) ?? []),
  ),
];

/** Returns the write that deletes a record. It throws `conflict` if keys or other records depend on the record. */
export const removeRecord = (
  resource: Resource,
  scope: Scope,
  id: string,
  conditions: Conditions,
): RecordWrite<RemoveResult> => ({
  start: async (client) => {
    const locked = await lockMatching(client, resource, scope, id, conditions);
    const applied = await deleteLocked(client, resource, scope, locked);
    return {
      result: { answer: { status: 204, headers: {}, body: '' }, recordIds: [id], doc: locked.doc },
      finish: () => [noteApplied(client, scope.workspaceId, resource, [applied])],
    };
  },
});

/** The values of a record with those of a merge patch. */
export function merge(values: RecordValues, patch: RecordInput): RecordValues {
  const merged = { ...values };
  for (const [name, value] of Object.entries(patch)) if (value !== undefined) merged[name] = value;
  return merged;
}
