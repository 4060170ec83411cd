import { inspect } from 'node:util';
import { etagOf, type Fetch, SvcApiError, SvcNetworkError, SvcNotFoundError } from '@svc/sdk';
import { createTestService } from '@svc/service/harness/service.ts';
import { describe, expect, test } from 'vitest';
import { clientOf, fetchOf } from './client.ts';
import { failing, refusalOf } from './faults.ts';

const service = await createTestService();
const workspaceId = await service.workspace();
const token = await service.token(workspaceId, { access: 'write' });
const fetchApp = fetchOf(service.app);
const svc = clientOf(service.app, token);

describe('withResponse', () => {
  test('of a call gives its data and what its response says in addition', async () => {
    const { data, response } = await svc.companies.create({ name: 'Acme' }).withResponse();
    expect(response).toMatchObject({ status: 201, dryRun: false, replayed: false, etag: etagOf(data) });
    expect(response.requestId).toMatch(/^req_/);
    expect(response.headers.get('Request-Id')).toBe(response.requestId);
    const { id } = data;
    const read = await svc.companies.get(id).withResponse();
    expect(read).toMatchObject({ data: { id, name: 'Acme' }, response: { status: 200 } });
    const updated = await svc.companies.update(id, { name: 'B' }).withResponse();
    expect(updated).toMatchObject({ data: { name: 'B' }, response: { status: 200 } });
    expect(updated.response.etag).not.toBe(read.response.etag);
    expect(await svc.audits.count().withResponse()).toMatchObject({
      data: { count: 0 },
      response: { status: 200 },
    });
    const { data: me, response: meResponse } = await svc.me().withResponse();
    expect([me.key.mode, meResponse.status]).toEqual(['live', 200]);
    const deleted = await svc.companies.delete(id).withResponse();
    expect(deleted.data).toBeUndefined();
    expect(deleted.response).toMatchObject({ status: 204, requestId: expect.stringMatching(/^req_/) });
  });

  test('of a list reads one page, and gives it with its response', async () => {
    const { data, response } = await svc.apiKeys.list({ limit: 1 }).withResponse();
    expect(data).toEqual(await svc.apiKeys.list({ limit: 1 }));
    expect(response).toMatchObject({ status: 200, requestId: expect.stringMatching(/^req_/) });
    const changes = await svc.changes.list({ after: 'now' }).withResponse();
    expect(changes.data.pagination.position).toBeTypeOf('string');
    expect(changes.response.status).toBe(200);
  });

  test('of createMany gives one response per batch', async () => {
    const names = Array.from({ length: 25 }, (_, i) => ({ name: `Company ${i}` }));
    const { data, responses } = await svc.companies.createMany(names, { batchSize: 10 }).withResponse();
    expect(data.map(({ name }) => name)).toEqual(names.map(({ name }) => name));
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(responses.map(({ requestId }) => requestId)).size).toBe(3);
  });

  test('tells a dry run and a repeated response', async () => {
    const options = { idempotencyKey: 'once' };
    const first = await svc.companies.create({ name: 'Once' }, options).withResponse();
    const again = await svc.companies.create({ name: 'Once' }, options).withResponse();
    expect([first.response.replayed, again.response.replayed]).toEqual([false, true]);
    expect(again.data).toEqual(first.data);
    const sandbox = clientOf(
      service.app,
      await service.token(workspaceId, { mode: 'test', access: 'write' }),
    );
    const { response } = await sandbox.companies.create({ name: 'Never' }).withResponse();
    expect(response.dryRun).toBe(true);
  });

  test('tells what is left of each limit, and nothing if there is none', async () => {
    expect((await svc.companies.list().withResponse()).response.rateLimit).toEqual({});
    const limited = await service.workspace();
    await service.pool.query('update workspaces set burst_limit = 9 where id = $1', [limited]);
    await service.pool.query('update live_meters set live_quota = 1000 where workspace_id = $1', [limited]);
    const { response } = await clientOf(service.app, await service.token(limited))
      .companies.list()
      .withResponse();
    expect(response.rateLimit).toEqual({
      quota: { limit: 1000, remaining: 999, resetSeconds: expect.any(Number) },
      burst: { limit: 9, remaining: 8, resetSeconds: 1 },
    });
  });

  test('of a request has the same, next to the body', async () => {
    const { requestId, ...answer } = await svc.request('GET', '/v1/audits/count');
    expect(requestId).toMatch(/^req_/);
    expect(answer).toMatchObject({ status: 200, dryRun: false, rateLimit: {}, body: { count: 0 } });
  });

  test('rejects like its call, once', async () => {
    const rejections: unknown[] = [];
    const note = (reason: unknown): void => {
      rejections.push(reason);
    };
    process.on('unhandledRejection', note);
    try {
      const call = svc.audits.get('aud_none');
      await expect(call.withResponse()).rejects.toThrow(SvcNotFoundError);
      await expect(call).rejects.toThrow(SvcNotFoundError);
      await expect(svc.audits.get('aud_none').withResponse()).rejects.toThrow(SvcNotFoundError);
      await expect(svc.audits.list({ limit: 101 }).withResponse()).rejects.toThrow(SvcApiError);
      await new Promise((resolve) => setImmediate(resolve));
      expect(rejections).toEqual([]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });

  test('leaves a call an ordinary promise for `then`, `catch`, `finally` and Promise.all', async () => {
    const call = svc.companies.list({ limit: 1 });
    const [{ data }] = await Promise.all([call]);
    const id = data[0]?.id ?? '';
    const name = svc.companies.get(id).then((company) => company.name);
    expect(name.constructor).toBe(Promise);
    expect(await name).toBe(data[0]?.name);
    expect(svc.companies.get(id).finally(() => undefined)).toBeInstanceOf(Promise);
  });
});

describe('an error', () => {
  const html: Fetch = async () => ({
    status: 502,
    headers: new Headers({ server: 'nginx', 'set-cookie': 'secret=1' }),
    text: async () => `<h1>${'x'.repeat(20_000)}</h1>`,
  });

  test('of the service has its request, and the headers and the body of its response', async () => {
    const error = await refusalOf(svc.companies.get('com_none', { headers: { 'X-Trace': '7' } }));
    expect(error.request).toEqual({ method: 'GET', path: '/v1/companies/com_none' });
    expect(error.headers.get('request-id')).toBe(error.requestId);
    expect(error.body).toEqual({ error: { code: 'not_found', message: 'There is no such company.' } });
    const list = await refusalOf(svc.audits.list({ limit: 101 }));
    expect(list.request).toEqual({ method: 'GET', path: '/v1/audits?limit=101' });
  });

  test('of a proxy keeps the start of its body, and prints neither body nor headers', async () => {
    const error = await refusalOf(clientOf(service.app, token, { fetch: html, retries: 0 }).audits.list());
    expect(error.headers.get('server')).toBe('nginx');
    expect(error.body).toBe(`<h1>${'x'.repeat(9_996)}`);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/secret|xxx/);
    expect(JSON.stringify(error)).not.toMatch(/secret|xxx/);
  });

  test('of the network has its request too', async () => {
    const away = clientOf(service.app, token, { fetch: failing(fetchApp, 9), retries: 0 });
    const error: unknown = await away.companies.create({ name: 'A' }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SvcNetworkError);
    expect(error).toMatchObject({ request: { method: 'POST', path: '/v1/companies' } });
  });
});

describe('headers', () => {
  const sent: Readonly<Record<string, string>>[] = [];
  const fetch: Fetch = (url, init) => {
    sent.push(init.headers);
    return fetchApp(url, init);
  };

  test('of the client and of a call are sent with every request of it', async () => {
    const gateway = clientOf(service.app, token, {
      fetch,
      defaultHeaders: { 'X-Gateway': 'a', 'User-Agent': 'mine/1' },
    });
    await gateway.companies.list({ limit: 10, headers: { 'x-gateway': 'b', 'X-Trace': 't' } }).toArray({
      max: 15,
    });
    expect(sent.length).toBeGreaterThan(1);
    for (const headers of sent)
      expect(headers).toMatchObject({ 'x-gateway': 'b', 'x-trace': 't', 'user-agent': 'mine/1' });
    sent.splice(0);
    await gateway.companies.create({ name: 'A' }, { headers: { 'X-Trace': 'u' } });
    expect(sent).toMatchObject([{ 'x-gateway': 'a', 'x-trace': 'u', 'content-type': 'application/json' }]);
  });

  test.each(['Idempotency-Key', 'If-Match', 'If-None-Match', 'Content-Type'])(
    '%s of a method is not replaced by a header of the caller',
    async (name) => {
      sent.splice(0);
      const client = clientOf(service.app, token, { fetch });
      const options = { headers: { [name]: 'x' } };
      const message = `The header "${name.toLowerCase()}" cannot be set here`;
      await expect(client.companies.create({ name: 'A' }, options)).rejects.toThrow(message);
      await expect(client.companies.createMany([{ name: 'A' }], options)).rejects.toThrow(message);
      await expect(client.companies.list(options)).rejects.toThrow(message);
      expect(sent).toEqual([]);
    },
  );
});

test('fetch gets the options of the client, in addition to its own', async () => {
  const inits: object[] = [];
  const fetch: Fetch = (url, init) => {
    inits.push(init);
    return fetchApp(url, init);
  };
  const dispatcher = { name: 'a dispatcher' };
  await clientOf(service.app, token, { fetch, fetchOptions: { dispatcher } }).companies.list();
  expect(inits).toMatchObject([{ method: 'GET', redirect: 'manual', dispatcher }]);
});
