import { checkedOptions } from '../checked-options.ts';
import { JSON_TYPE } from '../http/headers.ts';
import { type ApiPromise, apiCall, type WithResponses } from '../http/response.ts';
import { CALL_OPTIONS, type CallOptions, type Transport } from '../http/transport.ts';
import { jsonText } from '../json.ts';
import { checkedSource, type Source } from './batches.ts';
import { ifMatchHeader, recordOf } from './etag.ts';
import { checkedBatchesKey, checkedIdempotencyKey } from './idempotency.ts';
import { idSegment } from './query.ts';
import { type Context, pathOf } from './read.ts';
import {
  batchesCall,
  batchHeaders,
  emptyBatchesCall,
  lengthOf,
  type SentRecord,
  sentBatches,
} from './send-batches.ts';
import type { BatchOptions, Operation, OperationResult, PostOptions, UpsertOptions } from './types.ts';

const UPSERT_OPTIONS = [...CALL_OPTIONS, 'ifMatch', 'ifNew', 'idempotencyKey'] as const;
const DELETE_OPTIONS = [...CALL_OPTIONS, 'batchSize', 'idempotencyKey'] as const;

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

export const updateMany = (
  { transport, resource }: Context,
  changes: Source<object>,
  options?: CallOptions & Pick<BatchOptions, 'batchSize'>,
): ApiPromise<SentRecord[], WithResponses> =>
  batchesCall(() => {
    const { batchSize, ...call } = checkedOptions(options, [...CALL_OPTIONS, 'batchSize']);
    const request = {
      method: 'PATCH',
      path: `${pathOf(resource)}/batch`,
      headers: JSON_TYPE,
      expected: 'batch',
    } as const;
    const source = checkedSource(changes, 'changes');
    const sending = { transport, source, total: lengthOf(changes), requestOf: () => request, batchSize };
    return sentBatches({ ...sending, creates: false, idempotencyKey: undefined }, call);
  });

export const deleteMany = (
  { transport, resource }: Context,
  ids: Source<string>,
  options?: BatchOptions,
): ApiPromise<void, WithResponses> =>
  emptyBatchesCall(() => {
    const { idempotencyKey: given, batchSize, ...call } = checkedOptions(options, DELETE_OPTIONS);
    const idempotencyKey = checkedBatchesKey(given);
    const path = `${pathOf(resource)}/batch/delete`;
    const requestOf = (number: number) => ({
      method: 'POST',
      path,
      headers: batchHeaders(idempotencyKey, number),
    });
    const source = targetsOf(checkedSource(ids, 'ids'));
    const sending = { transport, source, total: lengthOf(ids), requestOf, creates: false };
    return sentBatches({ ...sending, idempotencyKey, batchSize }, call);
  });

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
    ({ body }) => (body as { readonly data: readonly OperationResult[] }).data,
  );
