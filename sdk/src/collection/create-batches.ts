import { checkedOptions } from '../checked-options.ts';
import { SvcError } from '../errors.ts';
import {
  ApiPromise,
  type ResponseInfo,
  rememberResponse,
  responseOf,
  type WithResponses,
} from '../http/response.ts';
import { CALL_OPTIONS, type CallOptions } from '../http/transport.ts';
import { checkedSignal, type Signal } from '../signal.ts';
import { stoppable, untilAborted } from '../stoppable.ts';
import { type Batch, batchesOf, checkedSource, type Source } from './batches.ts';
import { checkedIdempotencyKey } from './idempotency.ts';
import { BatchProgress } from './progress.ts';
import { type Context, pathOf } from './read.ts';
import type { BatchOptions } from './types.ts';

type CreatedRecord = { readonly id: string };

const BATCH_OPTIONS = [...CALL_OPTIONS, 'idempotencyKey', 'batchSize'] as const;

/**
 * Creates records in batches, one after the other. Yields the records of each batch when the service has created
 * them.
 */
export const createBatches = (
  context: Context,
  source: Source<unknown>,
  options: BatchOptions = {},
): AsyncGenerator<readonly CreatedRecord[], void, undefined> => {
  const { idempotencyKey, ...call } = checkedOptions(options, BATCH_OPTIONS);
  const key = checkedIdempotencyKey(idempotencyKey);
  const outer = checkedSignal(call.signal);
  return stoppable((signal) => batchesCreated(context, source, key, { ...call, signal }), outer);
};

/**
 * Batch 3 has the idempotency key of the call with the suffix `.3`. A repeated call makes the same batches, with the
 * same keys.
 */
async function* batchesCreated(
  context: Context,
  source: Source<unknown>,
  idempotencyKey: string,
  { batchSize, ...call }: BatchOptions & { readonly signal: Signal },
): AsyncGenerator<readonly CreatedRecord[], void, undefined> {
  const total = Array.isArray(source) ? source.length : undefined;
  const batches = batchesOf(untilAborted(checkedSource(source, 'records'), call.signal), batchSize);
  let [created, number] = [0, 0];
  const next = async (): Promise<readonly CreatedRecord[] | undefined> => {
    let [count, outcomeUnknown] = [0, false];
    try {
      const { value: batch, done } = await batches.next();
      if (done === true) return undefined;
      [count, number] = [batch.records, number + 1];
      const key = `${idempotencyKey}.${number}`;
      const records = await createBatch(context, batch, key, call, () => {
        outcomeUnknown = true;
      });
      created += count;
      return records;
    } catch (error) {
      const [refused, unknown] = outcomeUnknown ? [0, count] : [count, 0];
      const notSent = total === undefined ? undefined : total - created - count;
      if (error instanceof SvcError)
        error.progress = new BatchProgress({ created, refused, unknown, notSent, idempotencyKey });
      throw error;
    }
  };
  try {
    for (let records = await next(); records !== undefined; records = await next()) yield records;
  } finally {
    await batches.return();
  }
}

async function createBatch(
  { transport, resource }: Context,
  batch: Batch,
  key: string,
  call: CallOptions,
  onOutcomeUnknown: () => void,
): Promise<readonly CreatedRecord[]> {
  const path = `${pathOf(resource)}/batch`;
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  const request = { method: 'POST', path, headers, body: batch.body, expected: 'batch' } as const;
  const answer = await transport.send({ ...request, onOutcomeUnknown }, call);
  const { data } = answer.body as { readonly data: readonly CreatedRecord[] };
  rememberResponse(data, answer);
  return data;
}

/**
 * Creates all records and returns them in one array. If a batch fails, the error's `progress` has the records created
 * before.
 */
export const createMany = (
  context: Context,
  source: Source<unknown>,
  options?: BatchOptions,
): ApiPromise<CreatedRecord[], WithResponses> => new ApiPromise(createAll(context, source, options));

async function createAll(
  context: Context,
  source: Source<unknown>,
  options: BatchOptions | undefined,
): Promise<{ readonly data: CreatedRecord[] } & WithResponses> {
  const data: CreatedRecord[] = [];
  const responses: ResponseInfo[] = [];
  try {
    for await (const batch of createBatches(context, source, options)) {
      data.push(...batch);
      responses.push(responseOf(batch));
    }
    return { data, responses };
  } catch (error) {
    if (error instanceof SvcError && error.progress !== undefined)
      error.progress = new BatchProgress(error.progress, data);
    throw error;
  }
}
