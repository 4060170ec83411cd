import { checkedOptions } from '../checked-options.ts';
import type { Answer } from '../http/answer.ts';
import { type ApiPromise, rememberResponse, type WithResponses } from '../http/response.ts';
import { CALL_OPTIONS } from '../http/transport.ts';
import { checkedSignal } from '../signal.ts';
import { stoppable } from '../stoppable.ts';
import { checkedSource, type Source } from './batches.ts';
import { checkedBatchesKey } from './idempotency.ts';
import { type Context, pathOf } from './read.ts';
import {
  batchesCall,
  batchHeaders,
  lengthOf,
  recordsOf,
  type SentRecord,
  sentBatches,
} from './send-batches.ts';
import type { BatchOptions } from './types.ts';

const BATCH_OPTIONS = [...CALL_OPTIONS, 'idempotencyKey', 'batchSize'] as const;

/**
 * Creates records in batches, one after the other. Yields the records of each batch when the service has created
 * them.
 */
export const createBatches = (
  context: Context,
  source: Source<unknown>,
  options: BatchOptions = {},
): AsyncGenerator<readonly SentRecord[], void, undefined> => {
  const checked = checkedBatchOptions(options);
  return stoppable(async function* (signal) {
    for await (const answer of created(context, source, { ...checked, signal })) {
      const data = recordsOf(answer);
      rememberResponse(data, answer);
      yield data;
    }
  }, checkedSignal(checked.signal));
};

/** Creates all records and returns them in one array. */
export const createMany = (
  context: Context,
  source: Source<unknown>,
  options: BatchOptions = {},
): ApiPromise<SentRecord[], WithResponses> =>
  batchesCall(() => created(context, source, checkedBatchOptions(options)));

function checkedBatchOptions(options: BatchOptions): BatchOptions & { readonly idempotencyKey: string } {
  const { idempotencyKey, ...call } = checkedOptions(options, BATCH_OPTIONS);
  return { ...call, idempotencyKey: checkedBatchesKey(idempotencyKey) };
}

function created(
  { transport, resource }: Context,
  source: Source<unknown>,
  { idempotencyKey, batchSize, ...call }: ReturnType<typeof checkedBatchOptions>,
): AsyncGenerator<Answer, void, undefined> {
  const path = `${pathOf(resource)}/batch`;
  const sending = {
    transport,
    source: checkedSource(source, 'records'),
    total: lengthOf(source),
    requestOf: (number: number) =>
      ({ method: 'POST', path, headers: batchHeaders(idempotencyKey, number), expected: 'batch' }) as const,
    creates: true,
    idempotencyKey,
    batchSize,
  };
  return sentBatches(sending, call);
}
