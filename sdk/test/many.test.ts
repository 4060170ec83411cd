import { type Fetch, SvcError, SvcNetworkError, SvcNotFoundError } from '@svc/sdk';
import { createTestService } from '@svc/service/harness/service.ts';
import { beforeEach, expect, test } from 'vitest';
import { clientOf, fetchOf } from './client.ts';
import { refusalOf } from './faults.ts';
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

/** The error of a call that fails because the response to batch `lost` is lost. */
async function errorAfterLost(
  lost: number,
  call: (svc: ReturnType<typeof client>) => Promise<unknown>,
): Promise<SvcError> {
  let sent = 0;
  const losing: Fetch = async (url, init) => {
    sent += 1;
    const response = await fetchApp(url, init);
    if (sent >= lost) throw new TypeError('fetch failed', { cause: new Error('read ECONNRESET') });
    return response;
  };
  return call(client(losing)).then(
    () => expect.unreachable(),
    (error: SvcError) => error,
  );
}

test('the error of deleteMany after a broken connection counts what was deleted, and its key deletes the others', async () => {
  await client().companies.createMany(named(35, 'Old'));
  const ids = named(35, '').map(({ id }) => id);
  const error = await errorAfterLost(3, ({ companies }) => companies.deleteMany(ids, { batchSize }));
  expect(error).toBeInstanceOf(SvcNetworkError);
  expect(error.progress).toMatchObject({ done: 20, created: 0, refused: 0, unknown: 10, notSent: 5 });
  const { idempotencyKey } = error.progress ?? {};
  await client().companies.deleteMany(ids, { batchSize, idempotencyKey });
  expect(await idsOf(client().companies.list())).toEqual([]);
});

test('the error of deleteMany for a batch that was refused says where it begins, and its key deletes the others', async () => {
  await client().companies.createMany(named(25, 'Old'));
  const ids = named(25, '').map(({ id }) => id);
  const wrong = [...ids.slice(0, 13), 'com_none', ...ids.slice(13)];
  const call = client().companies.deleteMany(wrong, { batchSize });
  const error = await refusalOf(call);
  expect(error).toBeInstanceOf(SvcNotFoundError);
  expect(error.message).toContain('/data/3');
  expect(error.progress).toMatchObject({ done: 10, refused: 10, unknown: 0, notSent: 6 });
  const { idempotencyKey } = error.progress ?? {};
  await client().companies.deleteMany(ids, { batchSize, idempotencyKey });
  expect(await idsOf(client().companies.list())).toEqual([]);
});

test('deleteMany does not read the bodies of the responses', async () => {
  await client().companies.createMany(named(3, 'Old'));
  const proxy: Fetch = async (url, init) => {
    await fetchApp(url, init);
    return { status: 200, headers: { get: () => 'application/json' }, text: async () => '{"deleted":3}' };
  };
  await client(proxy).companies.deleteMany(named(3, '').map(({ id }) => id));
  expect(await idsOf(client().companies.list())).toEqual([]);
});

test('the error of updateMany counts and has the changed records, and the call continues after them', async () => {
  await client().companies.createMany(named(25, 'Old'));
  const changes = named(25, 'New');
  const error = await errorAfterLost(2, ({ companies }) => companies.updateMany(changes, { batchSize }));
  expect(error.progress).toMatchObject({ done: 10, created: 0, unknown: 10, notSent: 5 });
  expect(error.progress?.idempotencyKey).toBeUndefined();
  expect(error.progress?.records).toMatchObject(changes.slice(0, 10));
  const rest = await client().companies.updateMany(changes.slice(error.progress?.done), { batchSize });
  expect(rest).toMatchObject(changes.slice(10));
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
