import { microsOfTime, timeOfMicros } from '../records/clock.ts';
import { type Inserted, stampedOnCreation } from '../records/insert.ts';
import { type RecordInput, rowOf } from '../records/row.ts';
import type { Resource } from '../resources/define.ts';

/** What the answer to a batch holds that its request does not: enough to make the answer again from the same request. */
export interface BatchRecipe {
  /** Of the first record; the others follow, each a microsecond later. */
  readonly createdAt: string;
  /** Milliseconds; stamps the states that records are created in. */
  readonly nowMs: number;
  /** Of the records whose ids the service gave, in the order of the request. */
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

/** The answer that the first request got, whatever became of its records. */
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
