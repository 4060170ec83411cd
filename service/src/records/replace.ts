import type pg from 'pg';
import { ApiError } from '../http/errors.ts';
import type { Resource } from '../resources/define.ts';
import { type Applied, changedIds, noteApplied } from './apply.ts';
import { lockRecords } from './lock.ts';
import { changedFields } from './mutations.ts';
import { replaceLocked } from './put.ts';
import type { RecordInput } from './row.ts';

/** What became of the inputs whose id exists. */
export interface Replacement {
  /** The ids of the records that have other values now. */
  readonly recordIds: readonly string[];
  /** Names of the fields whose value has changed, without those that only the service sets. */
  readonly changed: readonly string[];
  /** Why inputs were refused, by their index. */
  readonly refused: ReadonlyMap<number, string>;
}

export const NOTHING_REPLACED: Replacement = { recordIds: [], changed: [], refused: new Map() };

/**
 * Replaces the records that have the ids of these inputs, in the caller's transaction. Of several inputs with one id, the
 * last one is written. What only the service sets stays. An input that the record may not change to is refused; the others
 * are written.
 */
export async function replaceRecords(
  client: pg.ClientBase,
  workspaceId: string,
  resource: Resource,
  inputs: readonly RecordInput[],
  indexes: readonly number[],
): Promise<Replacement> {
  if (indexes.length === 0) return NOTHING_REPLACED;
  const scope = { workspaceId, companyId: null };
  const last = new Map(indexes.map((index) => [String(inputs[index]?.['id']), index]));
  const locked = await lockRecords(client, resource, scope, [...last.keys()]);
  const applied: Applied[] = [];
  const refused = new Map<number, string>();
  for (const [i, index] of [...last.values()].entries()) {
    const record = locked[i];
    if (record === undefined) continue;
    try {
      const input = withoutServerFields(resource, inputs[index] ?? {});
      applied.push(await replaceLocked(client, resource, scope, record, input));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refused.set(index, error.message);
    }
  }
  await noteApplied(client, workspaceId, resource, applied);
  return { recordIds: changedIds(applied), changed: changedFields(resource, applied), refused };
}

/** An import may set these fields only of new records. */
const withoutServerFields = ({ server }: Resource, input: RecordInput): RecordInput =>
  Object.fromEntries(
    Object.entries(input).filter(([name]) => name !== 'createdAt' && !server.includes(name)),
  );
