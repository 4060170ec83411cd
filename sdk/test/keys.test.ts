import {
  type ApiKeyProvider,
  type Fetch,
  Svc,
  SvcError,
  SvcInvalidKeyError,
  type SvcOptions,
} from '@svc/sdk';
import { createTestService } from '@svc/service/harness/service.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { fetchOf, IN_PROCESS_URL } from './client.ts';
import { failing, observe } from './faults.ts';

const service = await createTestService();
const fetchApp = fetchOf(service.app);
const unknown = `svc_live_${'x'.repeat(32)}`;
let workspaceId: string;
let live: string;
let calls: number;

beforeEach(async () => {
  workspaceId = await service.workspace();
  live = await service.token(workspaceId, { access: 'write' });
  calls = 0;
});

/** A provider that returns these keys one after the other, and then the last one again. */
const providing =
  (...keys: readonly string[]): ApiKeyProvider =>
  async () => {
    calls += 1;
    return keys[Math.min(calls, keys.length) - 1] ?? '';
  };

const clientWith = (apiKey: ApiKeyProvider, options: SvcOptions = {}): Svc =>
  new Svc({ baseUrl: IN_PROCESS_URL, fetch: fetchApp, ...options, apiKey });

describe('a function that returns the API key', () => {
  test('is called for the first request, once for all requests', async () => {
    const svc = clientWith(providing(` ${live}\n`));
    expect([svc.mode, calls]).toEqual([undefined, 0]);
    await Promise.all([svc.companies.list(), svc.audits.count(), svc.request('GET', '/v1/audits')]);
    await svc.companies.list();
    expect([svc.mode, calls]).toEqual(['live', 1]);
  });

  test('is called again when the service has refused its key, and the request is sent once more', async () => {
    const svc = clientWith(providing(unknown, live));
    const { id } = await svc.companies.create({ name: 'Acme' });
    expect((await svc.companies.list()).data.map((company) => company.id)).toEqual([id]);
    expect(calls).toBe(2);
  });

  test('is called once for requests at the same time whose key was refused', async () => {
    const svc = clientWith(providing(unknown, live));
    await Promise.all(Array.from({ length: 5 }, () => svc.companies.list()));
    expect(calls).toBe(2);
  });

  test('also serves lists and streams whose key is replaced while they run', async () => {
    const next = await service.token(workspaceId, { mode: 'test' });
    const companies = Array.from({ length: 3 }, (_, i) => ({ name: `Company ${i}` }));
    const svc = clientWith(providing(live, next));
    await svc.companies.createMany(companies);
    const names: string[] = [];
    for await (const { name } of svc.companies.list({ limit: 1 })) {
      if (names.push(name) === 1)
        await service.pool.query('delete from api_keys where id = $1', [await keyId()]);
    }
    expect(names).toHaveLength(3);
    expect([calls, svc.mode]).toEqual([2, 'test']);
  });

  async function keyId(): Promise<string> {
    const { rows } = await service.pool.query(
      'select id from api_keys where workspace_id = $1 and mode = $2',
      [workspaceId, 'live'],
    );
    return rows[0].id;
  }

  test('that has no other key is called once, and the call is refused', async () => {
    const { svc, retries } = observe(service, unknown, { apiKey: providing(unknown) });
    await expect(svc.companies.list()).rejects.toThrow(SvcInvalidKeyError);
    expect([calls, retries]).toEqual([2, []]);
  });

  test('whose new key is refused too is not called a third time', async () => {
    const svc = clientWith(providing(unknown, unknown.replaceAll('x', 'y'), live));
    await expect(svc.companies.list()).rejects.toThrow(SvcInvalidKeyError);
    expect(calls).toBe(2);
  });

  test('that fails or returns no key makes the call fail with an SvcError, and is called again by the next call', async () => {
    let healthy = false;
    const svc = clientWith(() => {
      if (healthy) return live;
      throw new Error('the store is sealed');
    });
    await expect(svc.companies.list()).rejects.toThrow('The function `apiKey` failed: the store is sealed.');
    await expect(svc.companies.list()).rejects.toThrow(SvcError);
    healthy = true;
    await expect(svc.companies.list()).resolves.toBeDefined();
    const malformed = clientWith(providing('svc_live_short')).companies.list();
    await expect(malformed).rejects.toThrow('The API key is malformed.');
    await expect(malformed).rejects.not.toThrow('svc_live_short');
  });

  test('that never returns ends with the time limit or the signal of the call', async () => {
    const never = clientWith(() => new Promise(() => undefined), { retries: 0 });
    await expect(never.companies.get('com_a', { timeoutMs: 10 })).rejects.toThrow(
      'No response within 10 ms.',
    );
    const controller = new AbortController();
    const call = never.companies.get('com_a', { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
  });

  test('is not called for an `authorization` of the call', async () => {
    const sent: string[] = [];
    const fetch: Fetch = (url, init) => {
      sent.push(init.headers['authorization'] ?? '');
      return fetchApp(url, init);
    };
    const svc = clientWith(providing(unknown), { fetch });
    await svc.companies.list({ headers: { Authorization: `Bearer ${live}` } });
    expect([calls, sent]).toEqual([0, [`Bearer ${live}`]]);
  });

  test('is not called again by a retry', async () => {
    const { svc, retries } = observe(service, live, {
      apiKey: providing(live),
      fetch: failing(fetchApp, 2),
    });
    await svc.companies.list();
    expect([calls, retries.length]).toEqual([1, 2]);
  });
});
