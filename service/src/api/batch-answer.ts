import { microsOfTime, timeOfMicros } from '../records/clock.ts';
import { type Inserted, stampedOnCreation } from '../records/insert.ts';
import { type RecordInput, rowOf } from '../records/row.ts';
import type { Resource } from '../resources/define.ts';

/** The parts of a batch's answer that its request does not have. The same request and these parts give the answer again. */
export interface BatchRecipe {
  /** createdAt of the first record. Each of the others is one microsecond later. */
  readonly createdAt: string;
  /** The time, in milliseconds, of the states that records are created in. */
  readonly nowMs: number;
  /** The ids that the service has given, in the order of the request. */
  readonly ids: readonly string[];
}

export const batchText = (docs: readonly string[]): string => `{"data":[${docs.join(',\n')}]}`;

export function recipeOf(
  inputs: readonly RecordInput[],
  created: readonly Inserted[],
  nowMs: number,
): BatchRecipe {
  const ids = created.filter(({ index }) => inputs[index]?.['id'] === undefined).map(({ id }) => id);
  return { createdAt: created[0]?.createdAt ?? '', nowMs, ids };
}

/** Makes the answer of the first request again, also if its records have changed since. */
export function answerOf(
  resource: Resource,
  inputs: readonly RecordInput[],
  { createdAt, nowMs, ids }: BatchRecipe,
): string {
  const first = microsOfTime(createdAt);
  const given = ids[Symbol.iterator]();
  const docs = inputs.map((input, index) => {
    const id = input['id'] ?? given.next().value;
    const values = { ...stampedOnCreation(resource, input, nowMs), id };
    return rowOf(resource, values, timeOfMicros(first + index)).doc;
  });
  return batchText(docs);
}
