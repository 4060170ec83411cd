import { inspect } from 'node:util';
import {
  type Fetch,
  SvcError,
  SvcInvalidBodyError,
  SvcKeyError,
  SvcNetworkError,
  type SvcOptions,
  SvcTimeoutError,
} from '@svc/sdk';
import { createTestService } from '@svc/service/harness/service.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { clientOf, fetchOf } from './client.ts';
import { refusalOf } from './faults.ts';
import { idsOf } from './lists/lists.ts';

const TEST_TIMEOUT_MS = 10_000;
const service = await createTestService();
const fetchApp = fetchOf(service.app);
let token: string;

beforeEach(async () => {
  token = await service.token(await service.workspace(), { access: 'write' });
});

const client = (options: SvcOptions = {}) => clientOf(service.app, token, options);
const companies = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `Company ${i}` }));
const options = { batchSize: 10 };

/** The SvcError that a call throws. Throws if the call throws nothing, or another error. */
async function errorOf(call: Promise<unknown>): Promise<SvcError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof SvcError) return error;
  throw new Error('the call threw no SvcError', { cause: error });
}

/** Passes this many batches on. Each later request goes to `lost` instead. */
function losing(batches: number, lost: Fetch): Fetch {
  const seen = new Set<string>();
  return (url, init) => {
    seen.add(init.headers['idempotency-key'] ?? '');
    return seen.size > batches ? lost(url, init) : fetchApp(url, init);
  };
}

const carriedOut: Fetch = async (url, init) => {
  await fetchApp(url, init);
  throw new TypeError('fetch failed', { cause: new Error('read ECONNRESET') });
};

test('the service accepts the longest idempotency key of a call in each of its batches', async () => {
  const long = (letter: string) => ({ ...options, idempotencyKey: letter.repeat(240) });
  const created = await client().companies.createMany(companies(105), long('c'));
  expect(created).toHaveLength(105);
  const ids = created.map(({ id }) => id);
  await client().companies.deleteMany(ids, long('d'));
  expect(await idsOf(client().companies.list())).toEqual([]);
});

describe('the error of createMany', () => {
  test('after a broken connection says what was created, what may have been created, and how to continue', async () => {
    const records = companies(35);
    const error = await errorOf(
      client({ fetch: losing(2, carriedOut) }).companies.createMany(records, options),
    );
    expect(error).toBeInstanceOf(SvcNetworkError);
    expect(error.progress).toMatchObject({ done: 20, created: 20, refused: 0, unknown: 10, notSent: 5 });
    expect(error.created).toBe(20);
    expect(error.progress?.records).toHaveLength(20);
    expect(await idsOf(client().companies.list())).toEqual(
      expect.arrayContaining((error.progress?.records ?? []).map(({ id }) => id)),
    );
    const { idempotencyKey = '' } = error.progress ?? {};
    const all = await client().companies.createMany(records, { ...options, idempotencyKey });
    expect(all.map(({ name }) => name)).toEqual(records.map(({ name }) => name));
    expect((await idsOf(client().companies.list())).length).toBe(35);
  });

  test('after a timeout says the same', async () => {
    const fetch = losing(1, () => new Promise(() => undefined));
    const call = { ...options, timeoutMs: 3_000, retries: 0 };
    const error = await errorOf(client({ fetch }).companies.createMany(companies(15), call));
    expect(error).toBeInstanceOf(SvcTimeoutError);
    expect(error.progress).toMatchObject({ created: 10, refused: 0, unknown: 5, notSent: 0 });
  });

  test('for a batch whose response was lost and whose retry was refused does not call the batch refused', async () => {
    let tries = 0;
    const fetch = losing(1, (url, init) => {
      tries += 1;
      if (tries === 1) return carriedOut(url, init);
      return Promise.resolve({
        status: 403,
        headers: { get: () => null },
        text: async () => '{"error":{"code":"insufficient_scope","message":"No."}}',
      });
    });
    const error = await refusalOf(client({ fetch }).companies.createMany(companies(20), options));
    expect(error.progress).toMatchObject({ created: 10, refused: 0, unknown: 10, notSent: 0 });
  });

  test('for a batch that the service refused says that none of its records exist', async () => {
    const records = companies(25).with(17, { name: '' });
    const error = await refusalOf(client().companies.createMany(records, options));
    expect(error).toBeInstanceOf(SvcInvalidBodyError);
    expect(error.progress).toMatchObject({ created: 10, refused: 10, unknown: 0, notSent: 5 });
    const { idempotencyKey = '' } = error.progress ?? {};
    await client().companies.createMany(companies(25), { ...options, idempotencyKey });
    expect((await idsOf(client().companies.list())).length).toBe(25);
  });

  test('for a batch that was not sent, because there was no API key, does not call it refused', async () => {
    let asked = 0;
    const apiKey = (): string => {
      asked += 1;
      if (asked > 1) throw new Error('the store is sealed');
      return token;
    };
    const fetch = losing(1, async () => ({
      status: 401,
      headers: { get: () => null },
      text: async () => '{"error":{"code":"invalid_key","message":"No."}}',
    }));
    const svc = client({ apiKey, fetch, retries: 0 });
    const error = await errorOf(svc.companies.createMany(companies(25), options));
    expect(error).toBeInstanceOf(SvcKeyError);
    expect(error.progress).toMatchObject({ created: 10, refused: 0, unknown: 0, notSent: 15 });
  });

  test.each([
    [{ name: 'A', domain: 1n }, 'A record cannot be written as JSON: Do not know how to serialize a BigInt.'],
    [{ name: Number.NaN }, 'A record cannot be written as JSON: "name" is NaN.'],
    [{ name: new Date('never') }, 'A record cannot be written as JSON: "name" is Invalid Date.'],
    [undefined, 'A record cannot be written as JSON: it is undefined.'],
  ])(
    'for a record that JSON cannot represent names the record, and counts the earlier ones: %o',
    async (record, message) => {
      const records: unknown[] = companies(25).with(17, record as { name: string });
      const error = await errorOf(client().companies.createMany(records as { name: string }[], options));
      expect(error.message).toBe(message);
      expect(error.progress).toMatchObject({ created: 10, refused: 0, unknown: 0, notSent: 15 });
    },
  );

  test('for a source of unknown length does not count the records that were not sent', async () => {
    async function* source() {
      yield* companies(35);
    }
    const error = await errorOf(
      client({ fetch: losing(2, carriedOut) }).companies.createMany(source(), options),
    );
    expect(error.progress).toMatchObject({ created: 20, unknown: 10, notSent: undefined });
  });

  test('shows counts and no records when it is printed or serialised', async () => {
    const error = await errorOf(
      client({ fetch: losing(1, carriedOut) }).companies.createMany(companies(20), options),
    );
    for (const text of [inspect(error, { depth: 10, showHidden: true }), JSON.stringify(error)]) {
      expect(text).not.toContain('Company 1');
      expect(text).toMatch(/created"?: ?10/);
    }
  });

  test('has counts that other errors do not have', async () => {
    const error = await refusalOf(client().companies.get('com_none'));
    expect(Object.keys(error)).not.toContain('created');
    expect(Object.keys(error)).not.toContain('progress');
  });

  test('is the unchanged error of the source if the source fails', async () => {
    const reason = new Error('the file is gone');
    async function* source() {
      yield* companies(15);
      throw reason;
    }
    await expect(client().companies.createMany(source(), options)).rejects.toBe(reason);
  });

  test.each([{ name: 'A' }, 'text', null, undefined, 7])(
    'for something that is not a list of records says so: %o',
    async (records) => {
      const call = client().companies.createMany(records as unknown as { name: string }[]);
      await expect(call).rejects.toThrow(
        new SvcError('The records must be an array, or another iterable or async iterable.'),
      );
    },
  );
});

describe('createBatches', { timeout: TEST_TIMEOUT_MS }, () => {
  /** Yields this many records, then waits forever. */
  function stuck(count: number) {
    const { promise: waits, resolve } = Promise.withResolvers<void>();
    let returned = 0;
    const items = companies(count).values();
    const source: AsyncIterable<{ name: string }> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          const item = items.next();
          if (item.done !== true) return item;
          resolve();
          return new Promise(() => undefined);
        },
        return: () => {
          returned += 1;
          return new Promise(() => undefined);
        },
      }),
    };
    return { source, waits, returned: () => returned };
  }

  test('ends at once while its source waits, by its signal and by `return`', async () => {
    const reason = new Error('changed my mind');
    const controller = new AbortController();
    const first = stuck(25);
    const all = client().companies.createMany(first.source, { ...options, signal: controller.signal });
    await first.waits;
    controller.abort(reason);
    await expect(all).rejects.toBe(reason);

    const second = stuck(5);
    const batches = client().companies.createBatches(second.source, options);
    const next = batches.next();
    await second.waits;
    await batches.return();
    expect(await next).toEqual({ done: true, value: undefined });
    expect([first.returned(), second.returned()]).toEqual([1, 1]);
  });

  test('closes its source when the caller stops early, and waits until it is closed', async () => {
    let closed = false;
    async function* source() {
      try {
        yield* companies(25);
      } finally {
        await new Promise((resolve) => setImmediate(resolve));
        closed = true;
      }
    }
    for await (const _ of client().companies.createBatches(source(), options)) break;
    expect(closed).toBe(true);
  });
});
