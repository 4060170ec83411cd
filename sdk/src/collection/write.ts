import { SvcApiError } from '../errors.ts';
import type { Transport } from '../http/transport.ts';
import { batchesOf } from './batches.ts';
import { ifMatchHeader, recordOf } from './etag.ts';
import { newIdempotencyKey } from './idempotency.ts';
import { idSegment } from './query.ts';
import { type Context, pathOf } from './read.ts';
import type { BatchOptions, ChangeOptions, PostOptions } from './types.ts';

const JSON_TYPE = { 'content-type': 'application/json' } as const;
const GONE = 404;

const post = (
  transport: Transport,
  path: string,
  body: string,
  options: PostOptions,
): ReturnType<Transport['send']> =>
  transport.send(
    {
      method: 'POST',
      path,
      headers: { ...JSON_TYPE, 'idempotency-key': options.idempotencyKey ?? newIdempotencyKey() },
      body,
    },
    options,
  );

export async function createRecord(
  { transport, resource }: Context,
  record: object,
  options: PostOptions = {},
): Promise<unknown> {
  return recordOf(await post(transport, pathOf(resource), JSON.stringify(record), options));
}

type Records = Iterable<unknown> | AsyncIterable<unknown>;

/** Under an idempotency key of the caller, batch 3 has that key with `.3`: the same records make the same batches. */
export async function* createBatches(
  { transport, resource }: Context,
  records: Records,
  options: BatchOptions = {},
): AsyncGenerator<readonly unknown[], void, undefined> {
  const { idempotencyKey = newIdempotencyKey(), batchSize } = options;
  let [created, number] = [0, 0];
  for await (const batch of batchesOf(records, batchSize)) {
    number += 1;
    const batchOptions = { ...options, idempotencyKey: `${idempotencyKey}.${number}` };
    const answer = post(transport, `${pathOf(resource)}/batch`, batch.body, batchOptions);
    const { body } = await answer.catch((error: unknown) => {
      if (error instanceof SvcApiError) error.created = created;
      throw error;
    });
    yield (body as { readonly data: readonly unknown[] }).data;
    created += batch.records;
  }
}

export async function createMany(
  context: Context,
  records: Records,
  options?: BatchOptions,
): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const batch of createBatches(context, records, options)) all.push(...batch);
  return all;
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
    await transport.send({ method: 'PATCH', path, headers, body: JSON.stringify(change) }, call),
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
