import { checkedOptions } from '../checked-options.ts';
import { JSON_TYPE } from '../http/headers.ts';
import { type ApiPromise, apiCall } from '../http/response.ts';
import { CALL_OPTIONS } from '../http/transport.ts';
import { jsonText } from '../json.ts';
import { ifMatchHeader, recordOf } from './etag.ts';
import { checkedIdempotencyKey } from './idempotency.ts';
import { idSegment } from './query.ts';
import { type Context, pathOf } from './read.ts';
import type { ChangeOptions, PostOptions } from './types.ts';

const NOT_FOUND = 404;
const CHANGE_OPTIONS = [...CALL_OPTIONS, 'ifMatch'] as const;

export const createRecord = (
  { transport, resource }: Context,
  record: object,
  options?: PostOptions,
): ApiPromise<unknown> =>
  apiCall(async () => {
    const { idempotencyKey, ...call } = checkedOptions(options, [...CALL_OPTIONS, 'idempotencyKey']);
    const headers = { ...JSON_TYPE, 'idempotency-key': checkedIdempotencyKey(idempotencyKey) };
    const body = jsonText(record, 'The record');
    const request = { method: 'POST', path: pathOf(resource), headers, body, expected: 'object' } as const;
    return transport.send(request, call);
  }, recordOf);

export const updateRecord = (
  { transport, resource }: Context,
  id: string,
  change: object,
  options?: ChangeOptions,
): ApiPromise<unknown> =>
  apiCall(async () => {
    const { ifMatch, ...call } = checkedOptions(options, CHANGE_OPTIONS);
    const headers = { ...JSON_TYPE, ...ifMatchHeader(ifMatch) };
    const path = `${pathOf(resource)}/${idSegment(id)}`;
    const body = jsonText(change, 'The change');
    return transport.send({ method: 'PATCH', path, headers, body, expected: 'object' }, call);
  }, recordOf);

export const deleteRecord = (
  { transport, resource }: Context,
  id: string,
  options?: ChangeOptions,
): ApiPromise<void> =>
  apiCall(
    async () => {
      const { ifMatch, ...call } = checkedOptions(options, CHANGE_OPTIONS);
      const path = `${pathOf(resource)}/${idSegment(id)}`;
      const request = { method: 'DELETE', path, headers: ifMatchHeader(ifMatch) };
      return transport.send({ ...request, statusIfAlreadyDone: NOT_FOUND }, call);
    },
    () => undefined,
  );
