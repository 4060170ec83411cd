import { checkedOptions } from '../checked-options.ts';
import { SvcError } from '../errors.ts';
import { type ApiPromise, apiCall } from '../http/response.ts';
import { CALL_OPTIONS, type CallOptions, type Transport } from '../http/transport.ts';
import { jsonText } from '../json.ts';
import { batchesOf } from './batches.ts';
import { ifMatchHeader, recordOf } from './etag.ts';
import { checkedIdempotencyKey } from './idempotency.ts';
import { idSegment } from './query.ts';
import { type Context, pathOf } from './read.ts';
import type { BatchOptions, Operation, OperationResult, PostOptions, UpsertOptions } from './types.ts';

const UPSERT_OPTIONS = [...CALL_OPTIONS, 'ifMatch', 'ifNew', 'idempotencyKey'] as const;
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
    return transport.send({ method: 'PUT', path, headers, body: jsonText(record, 'The record') }, call);
  }, recordOf);

type Source<Item> = Iterable<Item> | AsyncIterable<Item>;

export async function updateMany(
  { transport, resource }: Context,
  changes: Source<object>,
  options?: CallOptions & Pick<BatchOptions, 'batchSize'>,
): Promise<unknown[]> {
  const { batchSize, ...call } = checkedOptions(options, [...CALL_OPTIONS, 'batchSize']);
  const path = `${pathOf(resource)}/batch`;
  const all: unknown[] = [];
  for await (const { body } of batchesOf(changes, batchSize))
    all.push(...dataOf(await transport.send({ method: 'PATCH', path, headers: JSON_TYPE, body }, call)));
  return all;
}

export async function deleteMany(
  { transport, resource }: Context,
  ids: Source<string>,
  options?: BatchOptions,
): Promise<void> {
  const { batchSize, idempotencyKey, ...call } = checkedOptions(options, [
    ...CALL_OPTIONS,
    'batchSize',
    'idempotencyKey',
  ]);
  const key = checkedIdempotencyKey(idempotencyKey);
  const path = `${pathOf(resource)}/batch/delete`;
  let number = 0;
  for await (const { body } of batchesOf(targetsOf(ids), batchSize)) {
    number += 1;
    const headers = { ...JSON_TYPE, 'idempotency-key': `${key}.${number}` };
    await transport.send({ method: 'POST', path, headers, body }, call);
  }
}

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
      return transport.send({ method: 'POST', path: '/v1/batch', headers, body }, call);
    },
    dataOf<OperationResult>,
  );

function dataOf<Item>({ body }: { readonly body: unknown }): readonly Item[] {
  const { data }: { readonly data?: unknown } = Object(body);
  if (Array.isArray(data)) return data;
  throw new SvcError('The response is not a batch. Check that baseUrl is the address of svc.');
}
