import { jsonText } from '../json.ts';
import { ifMatchHeader, recordOf } from './etag.ts';
import { newIdempotencyKey } from './idempotency.ts';
import { idSegment } from './query.ts';
import { type Context, pathOf } from './read.ts';
import type { ChangeOptions, PostOptions } from './types.ts';

const JSON_TYPE = { 'content-type': 'application/json' } as const;
const GONE = 404;

export async function createRecord(
  { transport, resource }: Context,
  record: object,
  { idempotencyKey = newIdempotencyKey(), ...call }: PostOptions = {},
): Promise<unknown> {
  const headers = { ...JSON_TYPE, 'idempotency-key': idempotencyKey };
  const body = jsonText(record, 'The record');
  return recordOf(await transport.send({ method: 'POST', path: pathOf(resource), headers, body }, call));
}

export async function updateRecord(
  { transport, resource }: Context,
  id: string,
  change: object,
  { ifMatch, ...call }: ChangeOptions = {},
): Promise<unknown> {
  const headers = { ...JSON_TYPE, ...ifMatchHeader(ifMatch) };
  const path = `${pathOf(resource)}/${idSegment(id)}`;
  return recordOf(
    await transport.send({ method: 'PATCH', path, headers, body: jsonText(change, 'The change') }, call),
  );
}

export async function deleteRecord(
  { transport, resource }: Context,
  id: string,
  { ifMatch, ...call }: ChangeOptions = {},
): Promise<void> {
  const path = `${pathOf(resource)}/${idSegment(id)}`;
  await transport.send(
    { method: 'DELETE', path, headers: ifMatchHeader(ifMatch), doneWhenRepeated: GONE },
    call,
  );
}
