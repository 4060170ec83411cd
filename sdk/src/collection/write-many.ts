import { checkedOptions } from '../checked-options.ts';
import type { Answer } from '../http/answer.ts';
import { ApiPromise, apiCall, responseInfo, type WithResponses } from '../http/response.ts';
import { CALL_OPTIONS, type Call, type CallOptions, type Transport } from '../http/transport.ts';
import { jsonText } from '../json.ts';
import { checkedSignal } from '../signal.ts';
import { untilAborted } from '../stoppable.ts';
import { batchesOf, checkedSource, type Source } from './batches.ts';
import { ifMatchHeader, recordOf } from './etag.ts';
import { checkedIdempotencyKey } from './idempotency.ts';
import { idSegment } from './query.ts';
import { type Context, pathOf } from './read.ts';
import type { BatchOptions, Operation, OperationResult, PostOptions, UpsertOptions } from './types.ts';

const UPSERT_OPTIONS = [...CALL_OPTIONS, 'ifMatch', 'ifNew', 'idempotencyKey'] as const;
const DELETE_OPTIONS = [...CALL_OPTIONS, 'batchSize', 'idempotencyKey'] as const;
const JSON_TYPE = { 'content-type': 'application/json' } as const;

export const upsertRecord = (
  { transport, resource }: Context,
  id: string,
  record: object,
  options?: UpsertOptions,
): ApiPromise<unknown> =>
  apiCall(async () => {
    const { ifMatch, ifNew, idempotencyKey, ...call } = checkedOptions(options, UPSERT_OPTIONS);
    const headers = {
      ...JSON_TYPE,
      'idempotency-key': checkedIdempotencyKey(idempotencyKey),
      ...ifMatchHeader(ifMatch),
      ...(ifNew === true ? { 'if-none-match': '*' } : {}),
    };
    const path = `${pathOf(resource)}/${idSegment(id)}`;
    const body = jsonText(record, 'The record');
    return transport.send({ method: 'PUT', path, headers, body, expected: 'object' }, call);
  }, recordOf);

/** Sends the items in batches, one after the other, and resolves with the response of each. */
async function sendBatches(
  transport: Transport,
  items: Source<object>,
  { batchSize, ...call }: CallOptions & Pick<BatchOptions, 'batchSize'>,
  requestOf: (number: number) => Omit<Call, 'body'>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  const signal = checkedSignal(call.signal);
  const source = signal === undefined ? items : untilAborted(items, signal);
  for await (const { body } of batchesOf(source, batchSize))
    answers.push(await transport.send({ ...requestOf(answers.length + 1), body }, call));
  return answers;
}

/** Makes a call that sends batches. Its data is what `dataIn` finds in their responses. */
const batchesCall = <T>(
  send: () => Promise<readonly Answer[]>,
  dataIn: (answers: readonly Answer[]) => T,
): ApiPromise<T, WithResponses> =>
  new ApiPromise(
    send().then((answers) => ({
      data: dataIn(answers),
      responses: answers.map((each) => responseInfo(each)),
    })),
  );

export const updateMany = (
  { transport, resource }: Context,
  changes: Source<object>,
  options?: CallOptions & Pick<BatchOptions, 'batchSize'>,
): ApiPromise<unknown[], WithResponses> =>
  batchesCall(
    async () => {
      const call = checkedOptions(options, [...CALL_OPTIONS, 'batchSize']);
      const path = `${pathOf(resource)}/batch`;
      const request = { method: 'PATCH', path, headers: JSON_TYPE, expected: 'batch' } as const;
      return sendBatches(transport, checkedSource(changes, 'changes'), call, () => request);
    },
    (answers) => answers.flatMap((answer) => dataOf<unknown>(answer)),
  );

export const deleteMany = (
  { transport, resource }: Context,
  ids: Source<string>,
  options?: BatchOptions,
): ApiPromise<void, WithResponses> =>
  batchesCall(
    async () => {
      const { idempotencyKey, ...call } = checkedOptions(options, DELETE_OPTIONS);
      const key = checkedIdempotencyKey(idempotencyKey);
      const path = `${pathOf(resource)}/batch/delete`;
      return sendBatches(transport, targetsOf(checkedSource(ids, 'ids')), call, (number) => ({
        method: 'POST',
        path,
        headers: { ...JSON_TYPE, 'idempotency-key': `${key}.${number}` },
      }));
    },
    () => undefined,
  );

async function* targetsOf(ids: Source<string>): AsyncGenerator<{ readonly id: string }> {
  for await (const id of ids) yield { id };
}

export const runBatch = (
  transport: Transport,
  operations: readonly Operation[],
  options?: PostOptions,
): ApiPromise<readonly OperationResult[]> =>
  apiCall(
    async () => {
      const { idempotencyKey, ...call } = checkedOptions(options, [...CALL_OPTIONS, 'idempotencyKey']);
      const headers = { ...JSON_TYPE, 'idempotency-key': checkedIdempotencyKey(idempotencyKey) };
      const body = jsonText({ operations }, 'The batch');
      const request = { method: 'POST', path: '/v1/batch', headers, body, expected: 'batch' } as const;
      return transport.send(request, call);
    },
    dataOf<OperationResult>,
  );

const dataOf = <Item>({ body }: Answer): readonly Item[] => (body as { readonly data: readonly Item[] }).data;
