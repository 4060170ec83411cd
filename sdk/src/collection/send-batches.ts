import { SvcApiError, SvcError } from '../errors.ts';
import type { Answer } from '../http/answer.ts';
import { JSON_TYPE } from '../http/headers.ts';
import { ApiPromise, type ResponseInfo, responseInfo, type WithResponses } from '../http/response.ts';
import type { Call, CallOptions, Transport } from '../http/transport.ts';
import { checkedSignal } from '../signal.ts';
import { untilAborted } from '../stoppable.ts';
import { batchesOf, type Source } from './batches.ts';
import { BatchProgress } from './progress.ts';

/** What is sent in batches. */
export interface Sending {
  readonly transport: Transport;
  readonly source: Source<unknown>;
  /** Number of items of the source; undefined if it is unknown. */
  readonly total: number | undefined;
  /** The request of a batch, whose number begins at 1. It has the idempotency key of {@link batchHeaders}. */
  readonly requestOf: (number: number) => Omit<Call, 'body'>;
  readonly creates: boolean;
  /** Of the whole call. Undefined: a repeated call needs none. */
  readonly idempotencyKey: string | undefined;
  /** Items per batch. Default: as many as the service accepts. */
  readonly batchSize: number | undefined;
}

/**
 * Batch 3 has the idempotency key of the call with the suffix `.3`. A repeated call makes the same batches, with the
 * same keys.
 */
export const batchHeaders = (idempotencyKey: string, number: number) =>
  ({ ...JSON_TYPE, 'idempotency-key': `${idempotencyKey}.${number}` }) as const;

/** The length of a source; undefined if it is unknown. */
export const lengthOf = (source: Source<unknown>): number | undefined =>
  Array.isArray(source) ? source.length : undefined;

/**
 * Sends a source in batches, one after the other, and yields the response of each. An `SvcError` that it throws has the
 * progress.
 */
export async function* sentBatches(
  { transport, source, total, requestOf, creates, idempotencyKey, batchSize }: Sending,
  call: CallOptions,
): AsyncGenerator<Answer, void, undefined> {
  const signal = checkedSignal(call.signal);
  const batches = batchesOf(signal === undefined ? source : untilAborted(source, signal), batchSize);
  let [finished, number] = [0, 0];
  const next = async (): Promise<Answer | undefined> => {
    let [count, outcomeUnknown] = [0, false];
    try {
      const { value: batch, done } = await batches.next();
      if (done === true) return undefined;
      [count, number] = [batch.records, number + 1];
      const onOutcomeUnknown = (): void => {
        outcomeUnknown = true;
      };
      const answer = await transport.send({ ...requestOf(number), body: batch.body, onOutcomeUnknown }, call);
      finished += count;
      return answer;
    } catch (error) {
      const unknown = outcomeUnknown ? count : 0;
      const refused = !outcomeUnknown && error instanceof SvcApiError ? count : 0;
      const notSent = total === undefined ? undefined : total - finished - refused - unknown;
      const created = creates ? finished : 0;
      const counts = { done: finished, created, refused, unknown, notSent, idempotencyKey };
      if (error instanceof SvcError) error.progress = new BatchProgress(counts);
      throw error;
    }
  };
  try {
    for (let answer = await next(); answer !== undefined; answer = await next()) yield answer;
  } finally {
    await batches.return();
  }
}

/** A record of a response. */
export type SentRecord = { readonly id: string };

/**
 * Makes a call that sends batches. Its data is the records of all responses. If it fails, the progress has those that have
 * arrived.
 */
export const batchesCall = (
  start: () => AsyncGenerator<Answer, void, undefined>,
): ApiPromise<SentRecord[], WithResponses> => new ApiPromise(allBatches(start, recordsOf));

/** Like {@link batchesCall}, for responses without records. */
export const emptyBatchesCall = (
  start: () => AsyncGenerator<Answer, void, undefined>,
): ApiPromise<void, WithResponses> =>
  new ApiPromise(allBatches(start, () => []).then(({ responses }) => ({ data: undefined, responses })));

async function allBatches(
  start: () => AsyncGenerator<Answer, void, undefined>,
  recordsIn: (answer: Answer) => readonly SentRecord[],
): Promise<{ readonly data: SentRecord[] } & WithResponses> {
  const data: SentRecord[] = [];
  const responses: ResponseInfo[] = [];
  try {
    for await (const answer of start()) {
      data.push(...recordsIn(answer));
      responses.push(responseInfo(answer));
    }
    return { data, responses };
  } catch (error) {
    if (error instanceof SvcError && error.progress !== undefined)
      error.progress = new BatchProgress(error.progress, data);
    throw error;
  }
}

/** The records of a response. */
export const recordsOf = ({ body }: Answer): readonly SentRecord[] =>
  (body as { readonly data: readonly SentRecord[] }).data;
