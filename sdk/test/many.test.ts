import { type Fetch, SvcError } from '@svc/sdk';
import { createTestService } from '@svc/service/harness/service.ts';
import { beforeEach, expect, test } from 'vitest';
import { clientOf, fetchOf } from './client.ts';
import { idsOf } from './lists/lists.ts';

const service = await createTestService();
const fetchApp = fetchOf(service.app);
let token: string;

beforeEach(async () => {
  token = await service.token(await service.workspace(), { access: 'write' });
});

const client = (fetch: Fetch = fetchApp) => clientOf(service.app, token, { fetch });
const named = (count: number, name: string) =>
  Array.from({ length: count }, (_, i) => ({ id: `com_${i}`, name: `${name} ${i}` }));
const batchSize = 10;

test('updateMany and deleteMany send batches, and withResponse gives the response of each', async () => {
  const svc = client();
  await svc.companies.createMany(named(25, 'Old'));
  const { data, responses } = await svc.companies.updateMany(named(25, 'New'), { batchSize }).withResponse();
  expect(data.map(({ name }) => name)).toEqual(named(25, 'New').map(({ name }) => name));
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(new Set(responses.map(({ requestId }) => requestId)).size).toBe(3);

  const ids = named(15, '').map(({ id }) => id);
  const deleted = await svc.companies.deleteMany(ids, { batchSize }).withResponse();
  expect(deleted.data).toBeUndefined();
  expect(deleted.responses.map(({ status }) => status)).toEqual([204, 204]);
  expect(await idsOf(svc.companies.list())).toHaveLength(10);
});

test('a repeated deleteMany with the same idempotency key succeeds, also if the response of a batch was lost', async () => {
  await client().companies.createMany(named(20, 'Old'));
  const ids = named(20, '').map(({ id }) => id);
  let sent = 0;
  const losing: Fetch = async (url, init) => {
    sent += 1;
    const response = await fetchApp(url, init);
    if (sent === 2) throw new TypeError('fetch failed', { cause: new Error('read ECONNRESET') });
    return response;
  };
  const options = { batchSize, idempotencyKey: 'cleaning', retries: 0 };
  await expect(client(losing).companies.deleteMany(ids, options)).rejects.toThrow('ECONNRESET');
  const { responses } = await client().companies.deleteMany(ids, options).withResponse();
  expect(responses.map(({ replayed }) => replayed)).toEqual([true, true]);
  expect(await idsOf(client().companies.list())).toEqual([]);
});

test.each(['updateMany', 'deleteMany'] as const)(
  '%s ends at once when its signal is aborted while its source waits',
  async (method) => {
    const { promise: waits, resolve } = Promise.withResolvers<void>();
    const source: AsyncIterable<never> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          resolve();
          return new Promise(() => undefined);
        },
      }),
    };
    const reason = new Error('changed my mind');
    const controller = new AbortController();
    const call = client().companies[method](source, { signal: controller.signal });
    await waits;
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  },
);

test.each([
  ['updateMany', { id: 'com_a', name: 'A' }, 'changes'],
  ['updateMany', undefined, 'changes'],
  ['deleteMany', 'com_a', 'ids'],
  ['deleteMany', 7, 'ids'],
] as const)('%s refuses %o, and sends nothing', async (method, source, name) => {
  const { companies } = client(() => {
    throw new Error('a request was sent');
  });
  const untyped = companies[method] as (source: unknown) => Promise<unknown>;
  await expect(untyped(source)).rejects.toThrow(
    new SvcError(`The ${name} must be an array, or another iterable or async iterable.`),
  );
});
