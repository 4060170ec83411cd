import {
  etagOf,
  type Fetch,
  type Svc,
  SvcError,
  SvcNetworkError,
  SvcNotFoundError,
  type SvcOptions,
  SvcPreconditionFailedError,
  SvcQuotaExceededError,
  SvcRateLimitedError,
  SvcUnavailableError,
} from '@svc/sdk';
import { createTestService } from '@svc/service/harness/service.ts';
import { describe, expect, test } from 'vitest';
import { fetchOf, IN_PROCESS_URL } from './client.ts';
import { failing, type Observed, observe, refusalOf, replacing } from './faults.ts';

const service = await createTestService();
const workspaceId = await service.workspace();
const token = await service.token(workspaceId, { mode: 'test' });
const fetchApp = fetchOf(service.app);
const observed = (options?: SvcOptions, apiKey = token): Observed => observe(service, apiKey, options);

describe('a failure that may be temporary', () => {
  test('of the network is retried, after pauses that double and are partly random', async () => {
    const { svc, pauses, retries } = observed({ fetch: failing(fetchApp, 4) });
    expect((await svc.companies.list()).data).toBeDefined();
    expect(pauses).toEqual([375, 750, 1500, 3000]);
    expect(retries.map(({ failures, path }) => [failures, path])).toEqual(
      [1, 2, 3, 4].map((n) => [n, '/v1/companies']),
    );
    expect(retries.every(({ error }) => error instanceof SvcNetworkError)).toBe(true);
  });

  test.each([
    [0, 250],
    [0.999, 499.75],
  ])('with the random number %d makes the first pause %d ms', async (chance, pause) => {
    const { svc, pauses } = observed({ fetch: failing(fetchApp, 1), timing: { random: () => chance } });
    await svc.companies.list();
    expect(pauses).toEqual([pause]);
  });

  test('that continues is thrown in the end, with its reason', async () => {
    const { svc, pauses } = observed({ fetch: failing(fetchApp, 100) });
    await expect(svc.companies.list()).rejects.toThrow(SvcNetworkError);
    await expect(svc.companies.list()).rejects.toThrow(
      `${IN_PROCESS_URL} could not be reached: connect ECONNREFUSED`,
    );
    expect(pauses).toHaveLength(8);
  });

  test.each<readonly [string, Fetch, string]>([
    [
      'throws an error that only a wrong program throws',
      async () => JSON.parse('null').status,
      "The client's `fetch` has a mistake: Cannot read properties of null (reading 'status').",
    ],
    [
      'throws at once',
      () => {
        throw new ReferenceError('answer is not defined');
      },
      "The client's `fetch` has a mistake: answer is not defined.",
    ],
    ['returns nothing', async () => JSON.parse('null'), "The client's `fetch` did not return a Response."],
    [
      'returns another object',
      async () => JSON.parse('{"status":200}'),
      "The client's `fetch` did not return a Response.",
    ],
  ])('of a `fetch` that %s is not a network failure, and is not retried', async (_, fetch, message) => {
    const { svc, retries } = observed({ fetch });
    const error: unknown = await svc.companies.get('com_a').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'SvcError', message });
    expect(error).toBeInstanceOf(SvcError);
    expect(error).not.toBeInstanceOf(SvcNetworkError);
    expect(retries).toEqual([]);
  });

  test('of a port that `fetch` refuses is thrown at once', async () => {
    const { svc, retries } = observed({
      baseUrl: 'http://127.0.0.1:6000',
      fetch: (url, init) => globalThis.fetch(url, init),
    });
    await expect(svc.companies.get('com_a')).rejects.toThrow(
      'http://127.0.0.1:6000 has a port that `fetch` refuses.',
    );
    expect(retries).toEqual([]);
  });

  test('is retried as often as the client or the call allows', async () => {
    const { svc, pauses } = observed({ fetch: failing(fetchApp, 100), retries: 0 });
    await expect(svc.companies.list()).rejects.toThrow(SvcNetworkError);
    expect(pauses).toEqual([]);
    await expect(svc.companies.list({ retries: 2 })).rejects.toThrow(SvcNetworkError);
    expect(pauses).toHaveLength(2);
  });

  test.each([
    ['internal_error', '{"error":{"code":"internal_error","message":"No."}}', true],
    ['no code, such as that of a proxy', '<h1>500</h1>', true],
    ['a code that this version does not know', '{"error":{"code":"something_new","message":"No."}}', false],
  ])('of the service with %s is retried only if the request may be repeated', async (_, body, retried) => {
    const failingOnce = (): Fetch => {
      let failed = false;
      return async (url, init) => {
        if (failed) return fetchApp(url, init);
        failed = true;
        return { status: 500, headers: { get: () => null }, text: async () => body };
      };
    };
    const writer = await service.token(workspaceId, { access: 'write' });
    const { svc: reader, retries } = observed({ fetch: failingOnce() });
    const read = Promise.resolve(reader.companies.list());
    if (retried) await read;
    else expect(await refusalOf(read)).toMatchObject({ status: 500 });
    expect(retries).toHaveLength(retried ? 1 : 0);
    const created = observed({ fetch: failingOnce() }, writer).svc.companies.create({ name: 'A' });
    if (retried) expect(await created).toMatchObject({ name: 'A' });
    else expect(await refusalOf(created)).toMatchObject({ status: 500 });

    const { id } = await observed({}, writer).svc.companies.create({ name: 'B' });
    const path = `/v1/companies/${id}`;
    const ifMatch = { 'If-Match': String(etagOf(await observed({}, writer).svc.companies.get(id))) };
    for (const [call, repeatable] of [
      [(svc: Svc) => svc.companies.update(id, { name: 'C' }), false],
      [(svc: Svc) => svc.request('PUT', path, { body: { name: 'D' }, headers: ifMatch }), false],
      [
        (svc: Svc) => svc.request('PUT', path, { body: { name: 'E' }, headers: { 'If-None-Match': '*' } }),
        false,
      ],
      [(svc: Svc) => svc.request('PUT', path, { body: { name: 'F' } }), true],
      [(svc: Svc) => svc.companies.delete(id), true],
    ] as const) {
      const writing = observed({ fetch: failingOnce() }, writer);
      const wanted = retried && repeatable;
      if (wanted) await call(writing.svc);
      else expect(await refusalOf(call(writing.svc))).toMatchObject({ status: 500 });
      expect(writing.retries).toHaveLength(wanted ? 1 : 0);
    }
  });

  describe('of the service with 500 for a deletion', () => {
    const withCompany = async () => {
      const writer = await service.token(workspaceId, { access: 'write' });
      const { svc } = observed({}, writer);
      const { id } = await svc.companies.create({ name: 'D' });
      return { writer, svc, id, read: await svc.companies.get(id) };
    };

    test.each([false, true])('that was carried out is success (with `ifMatch`: %j)', async (conditional) => {
      const { writer, svc, id, read } = await withCompany();
      const behindProxy = observed({ fetch: replacing(fetchApp, 500) }, writer);
      await behindProxy.svc.companies.delete(id, conditional ? { ifMatch: read } : {});
      expect(behindProxy.retries).toHaveLength(1);
      await expect(svc.companies.get(id)).rejects.toThrow(SvcNotFoundError);
    });

    test('with `ifMatch` keeps a record that somebody changes before the retry', async () => {
      const { writer, svc, id, read } = await withCompany();
      let changed = false;
      const fetch: Fetch = async (url, init) => {
        if (changed) return fetchApp(url, init);
        changed = true;
        await svc.companies.update(id, { domain: 'acme.example' });
        return { status: 500, headers: { get: () => null }, text: async () => '' };
      };
      const deletion = observed({ fetch }, writer).svc.companies.delete(id, { ifMatch: read });
      await expect(deletion).rejects.toThrow(SvcPreconditionFailedError);
      expect(await svc.companies.get(id)).toMatchObject({ domain: 'acme.example' });
    });
  });

  test('never causes a pause of more than eight seconds', async () => {
    const { svc, pauses } = observed({ fetch: failing(fetchApp, 30), retries: Number.POSITIVE_INFINITY });
    await svc.companies.list();
    expect(Math.max(...pauses)).toBe(6000);
  });

  test('of the database is a 503, and the retry succeeds when the database is back', async () => {
    const { database, clock } = service;
    const other = await createTestService({ database, pool: database.pool, clock });
    const query = other.pool.query.bind(other.pool);
    const timing = {
      sleep: async () => {
        Object.assign(other.pool, { query });
      },
    };
    const { svc, retries } = observed({ fetch: fetchOf(other.app), timing });
    await svc.companies.list();
    Object.assign(other.pool, {
      query: () => Promise.reject(Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' })),
    });
    await svc.companies.list();
    expect(retries.map(({ error }) => error.constructor)).toEqual([SvcUnavailableError]);
    expect(retries[0]?.delayMs).toBe(1000 + 125);
  });
});

describe('a limit', () => {
  test('of requests per second is waited for as long as Retry-After says, plus a random part', async () => {
    const limitedWorkspace = await service.workspace();
    await service.pool.query('update workspaces set burst_limit = 1 where id = $1', [limitedWorkspace]);
    const key = await service.token(limitedWorkspace, { mode: 'test' });
    const { svc, retries, pauses } = observed({}, key);
    await svc.companies.list();
    const timing = {
      sleep: async (ms: number) => {
        service.clock.now += ms;
      },
    };
    const patient = observed({ timing }, key);
    await patient.svc.companies.list();
    expect(patient.retries.map(({ error }) => error.constructor)).toEqual([SvcRateLimitedError]);
    expect(patient.retries[0]?.delayMs).toBe(1000 + 125);
    await expect(svc.companies.list({ retries: 1 })).rejects.toThrow(SvcRateLimitedError);
    expect([retries.length, pauses]).toEqual([1, [1125]]);
  });

  test('of the month is not waited for: the error is thrown at once, with the time to wait', async () => {
    const limitedWorkspace = await service.workspace();
    await service.pool.query('update live_meters set live_quota = 1 where workspace_id = $1', [
      limitedWorkspace,
    ]);
    const { svc, pauses } = observed({}, await service.token(limitedWorkspace));
    await svc.companies.list();
    const error = await refusalOf(svc.companies.list());
    expect(error).toBeInstanceOf(SvcQuotaExceededError);
    expect(error.retryAfterMs).toBeGreaterThan(60_000);
    expect(pauses).toEqual([]);
  });
});
