import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { InjectOptions } from 'fastify';
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { onFileEnd } from '../../../test/harness/cleanup.ts';
import { createTestDashboard, newEmail, PASSWORD, PUBLIC_URL } from '../../../test/harness/dashboard.ts';
import { createTestService, TEST_SECRET } from '../../../test/harness/service.ts';
import { createApp } from '../../app.ts';
import { lanesOver } from '../../database/lanes.ts';

const service = await createTestService();
const dashboard = createTestDashboard(service);
const owner = await dashboard.owner();
const KEYS = `/dashboard/api/workspaces/${owner.workspaceId}/keys`;
const KEY = { name: 'x', mode: 'test', access: 'read', companyId: null };
const keys = async () => (await service.pool.query('select 1 from api_keys')).rowCount;

const post = (headers: Readonly<Record<string, string>>, options: InjectOptions = {}) =>
  service.app.inject({
    method: 'POST',
    url: KEYS,
    payload: JSON.stringify(KEY),
    ...options,
    headers: {
      cookie: owner.cookie,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
      ...headers,
    },
  });

describe('a request in the name of a person', () => {
  test('is refused if the browser says that another site sent it, also with a valid cookie', async () => {
    const before = await keys();
    const foreign: readonly Readonly<Record<string, string>>[] = [
      { origin: 'https://evil.test' },
      { origin: 'null' },
      { origin: `${PUBLIC_URL}.evil.test` },
      { origin: `${PUBLIC_URL}:8080` },
      { origin: 'https://svc.test' },
      { origin: 'HTTP://SVC.TEST' },
      { origin: '' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: PUBLIC_URL, 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.test', 'sec-fetch-site': 'same-origin' },
    ];
    for (const headers of foreign) {
      const answer = await post(headers);
      expect(answer.statusCode, JSON.stringify(headers)).toBe(403);
      expect(answer.json()).toMatchObject({ error: { code: 'insufficient_scope' } });
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
    expect(await keys()).toBe(before);
  });

  test('is refused also if it reads, because it may leave an entry in the log', async () => {
    const url = `/dashboard/api/workspaces/${owner.workspaceId}/log/export?format=csv`;
    const exported = (headers: Readonly<Record<string, string>>) =>
      service.app.inject({ url, headers: { cookie: owner.cookie, ...headers } });
    for (const site of ['cross-site', 'same-site', 'none']) {
      expect((await exported({ 'sec-fetch-site': site })).statusCode, site).toBe(403);
    }
    for (const headers of [{ 'sec-fetch-site': 'same-origin' }, {}]) {
      expect((await exported(headers)).statusCode).toBe(200);
    }
    const { rows } = await service.pool.query(`select 1 from audit_log where kind = 'log.exported'`);
    expect(rows).toHaveLength(2);
  });

  test('is accepted from our own pages and from programs', async () => {
    const own: readonly Readonly<Record<string, string>>[] = [
      { origin: PUBLIC_URL, 'sec-fetch-site': 'same-origin' },
      { origin: PUBLIC_URL },
      { 'sec-fetch-site': 'same-origin' },
      {},
    ];
    for (const headers of own) expect((await post(headers)).statusCode).toBe(201);
  });

  test('is refused with each media type that a form can have', async () => {
    const before = await keys();
    const types = [
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain',
      'text/plain; x=application/json',
      'application/jsonp',
      '',
    ];
    for (const type of types) {
      const answer = await post({ 'content-type': type });
      expect(answer.statusCode, type).toBe(415);
      expect(answer.json()).toMatchObject({ error: { code: 'unsupported_media_type' } });
    }
    expect(await keys()).toBe(before);
  });

  test('is refused for paths of better-auth too, before a session starts or ends', async () => {
    for (const [url, payload] of [
      ['/dashboard/api/auth/sign-in/email', { email: owner.email, password: PASSWORD }],
      ['/dashboard/api/auth/sign-out', {}],
    ] as const) {
      const headers = { origin: 'https://evil.test' };
      const answer = await post(headers, { url, payload: JSON.stringify(payload) });
      expect(answer.statusCode, url).toBe(403);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    expect((await owner.send('GET', '/me')).status).toBe(200);
  });

  test('is not allowed by a preflight request', async () => {
    const answer = await service.app.inject({
      method: 'OPTIONS',
      url: KEYS,
      headers: { origin: 'https://evil.test', 'access-control-request-method': 'POST' },
    });
    expect(answer.statusCode).toBeGreaterThanOrEqual(400);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('over a socket', () => {
  let url = '';
  beforeAll(async () => {
    // The public address is needed before the app exists. So a free port is found first.
    const { server } = service.app;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    url = `http://127.0.0.1:${port}`;
    const app = createApp({
      lanes: lanesOver(service.pool),
      secrets: [TEST_SECRET],
      config: { trustProxy: false, failedAuthPerMinute: 1, publicUrl: url },
      log: pino({ level: 'silent' }),
    });
    onFileEnd(() => app.close());
    await app.listen({ host: '127.0.0.1', port });
  });

  test('a person signs in, creates a key and uses it, and another site gets nothing', async () => {
    const { email, workspaceId } = await dashboard.bootstrap(newEmail());
    const send = (path: string, body: object, headers: Readonly<Record<string, string>>) =>
      fetch(`${url}/dashboard/api${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID(), ...headers },
        body: JSON.stringify(body),
      });
    const foreign = await send('/auth/sign-in/email', { email, password: PASSWORD }, { origin: PUBLIC_URL });
    expect(foreign.status).toBe(403);
    expect(foreign.headers.getSetCookie()).toEqual([]);
    const signedIn = await send('/auth/sign-in/email', { email, password: PASSWORD }, { origin: url });
    expect(signedIn.status).toBe(200);
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const path = `/workspaces/${workspaceId}/keys`;
    expect((await send(path, KEY, { cookie, origin: 'http://localhost' })).status).toBe(403);
    const created = await send(path, KEY, { cookie, origin: url });
    expect(created.status).toBe(201);
    const { token } = (await created.json()) as { token: string };
    const list = await fetch(`${url}/v1/companies`, { headers: { authorization: `Bearer ${token}` } });
    expect(list.status).toBe(200);
    // A session is not accepted as a key, nor a key as a session.
    expect((await fetch(`${url}/v1/companies`, { headers: { cookie } })).status).toBe(401);
    const asKey = await fetch(`${url}/dashboard/api/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(asKey.status).toBe(401);
  });
});
