import {
  type ApiKeyProvider,
  type Fetch,
  Svc,
  SvcInvalidKeyError,
  SvcKeyError,
  SvcNotFoundError,
  type SvcOptions,
  SvcTimeoutError,
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

  test.each([
    ['fails', () => Promise.reject(new Error('the store is sealed')), 'the store is sealed.'],
    ['returns no key, as a file that is being replaced', () => 'svc_live_short', 'The API key is malformed.'],
  ])('that %s is called again by each retry, and then by the next call', async (_, broken, reason) => {
    let failures = 6;
    const { svc, retries } = observe(service, live, { apiKey: () => (failures-- > 0 ? broken() : live) });
    const failed = Promise.resolve(svc.companies.list());
    await expect(failed).rejects.toThrow(SvcKeyError);
    await expect(failed).rejects.toThrow(`The function \`apiKey\` failed: ${reason}`);
    await expect(failed).rejects.not.toThrow('svc_live_short');
    await svc.companies.list();
    expect(retries).toHaveLength(5);
  });

  test('that fails does not end a tail of changes that retries without end', async () => {
    let asked = 0;
    const { svc } = observe(service, live, {
      apiKey: () => {
        asked += 1;
        if (asked < 10) throw new Error('the store is sealed');
        return live;
      },
      retries: Number.POSITIVE_INFINITY,
    });
    expect(await Array.fromAsync(svc.changes.tail({ follow: false }))).toEqual([]);
  });

  test('that fails before a deletion does not make the record count as deleted', async () => {
    let asked = 0;
    const { svc } = observe(service, live, {
      apiKey: () => {
        asked += 1;
        if (asked === 1) throw new Error('the store is sealed');
        return live;
      },
    });
    await expect(svc.companies.delete('com_none')).rejects.toThrow(SvcNotFoundError);
  });

  test('that hangs once is called again by the next attempt', async () => {
    const hanging = (): ApiKeyProvider => {
      let asked = 0;
      return () => {
        asked += 1;
        return asked === 1 ? new Promise(() => undefined) : live;
      };
    };
    const { svc, retries } = observe(service, live, { apiKey: hanging(), timeoutMs: 500 });
    await svc.companies.list();
    expect(retries.map(({ error }) => error)).toEqual([expect.any(SvcTimeoutError)]);

    const aborted = clientWith(hanging(), { retries: 0 });
    const controller = new AbortController();
    const call = aborted.companies.get('com_a', { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await aborted.companies.list();
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
