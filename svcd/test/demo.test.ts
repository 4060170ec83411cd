import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { dataDirectory, killServer } from '@svc/embedded-postgres/testing';
import type { ApiKey, AuditLogEntry, ListEnvelope } from '@svc/sdk';
import { onFileEnd } from '@svc/service/harness/cleanup.ts';
import { runSvcd, type SvcdProcess, spawnSvcd } from '@svc/service/harness/process.ts';
import { bearer } from '@svc/service/harness/running-service.ts';
import { secret } from '@svc/service/harness/secrets.ts';
import { freePort } from '@svc/service/server/listen';
import { describe, expect, test } from 'vitest';
import { CLIENTS, MADE_UP } from '../src/demo/traffic.ts';

const run = promisify(execFile);
const parent = await dataDirectory();
const dataDir = `${parent}/demo`;
onFileEnd(() => killServer(dataDir));
const env = { SVC_DATA_DIR: parent, SVC_PORT: '0' };
/** Of a service behind a pooler, whose people sign in with a provider. */
const REAL_SERVICE = {
  SVC_DATABASE_URL: 'postgres://svc@pooler.example/svc',
  SVC_DATABASE_POOLER: 'transaction',
  SVC_DATABASE_DIRECT_URL: 'postgres://svc@database.example/svc',
  SVC_SECRET: 'the secret of a real service: 32 characters',
  SVC_PUBLIC_URL: 'https://svc.example.com',
  SVC_OIDC_ISSUER: 'https://accounts.example.com',
  SVC_OIDC_CLIENT_ID: 'svc',
  SVC_OIDC_CLIENT_SECRET: 'the secret at the provider',
};

interface Demo {
  readonly url: string;
  readonly ownerEmail: string;
  readonly signInLink: string;
  readonly workspaceId: string;
  readonly testKey: string;
  readonly liveKey: string;
}

async function startDemo(
  changed: Readonly<Record<string, string>> = {},
  ...args: readonly string[]
): Promise<{ demo: Demo; svcd: SvcdProcess }> {
  const settings = { ...env, SVC_LOG_LEVEL: 'debug', ...changed };
  const svcd = spawnSvcd(['demo', '--json', ...args], { env: settings, resultIsSecret: true });
  const [line = ''] = await svcd.printed(/^\{"url".*\}$/m);
  const demo = JSON.parse(line) as Demo;
  for (const text of [demo.testKey, demo.liveKey, demo.signInLink]) secret(text);
  return { demo, svcd };
}

/** A free port that browsers and `fetch` refuse. */
async function blockedPort(): Promise<number> {
  for (const port of [10_080, 6_566, 6_000, 5_060, 6_697])
    if ((await freePort('127.0.0.1', port)) === port) return port;
  throw new Error('none of these ports is free');
}

const daysSince = (time: string): number => Math.floor((Date.now() - Date.parse(time)) / 86_400_000);

async function total(url: string, token: string): Promise<number> {
  let count = 0;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const answer = await fetch(`${url}?limit=100${query}`, { headers: bearer(token) });
    const page = (await answer.json()) as { data: unknown[]; pagination: { nextCursor: string | null } };
    count += page.data.length;
    cursor = page.pagination.nextCursor;
  }
  return count;
}

describe('svcd demo', () => {
  test('prints one line of JSON with keys that work and a link that signs in once, over a year of data', async () => {
    const { demo, svcd } = await startDemo();
    expect(Object.keys(demo)).toEqual([
      'url',
      'ownerEmail',
      'signInLink',
      'workspaceId',
      'testKey',
      'liveKey',
    ]);
    expect(svcd.stdout().trim().split('\n')).toHaveLength(1);
    for (const [list, records] of [
      ['companies', 5],
      ['audits', 2_000],
      ['mentions', 5_000],
      ['content', 500],
    ] as const) {
      expect([list, await total(`${demo.url}/v1/${list}`, demo.testKey)]).toEqual([list, records]);
    }
    expect((await fetch(`${demo.url}/v1/audit-log`, { headers: bearer(demo.liveKey) })).status).toBe(200);

    const token = new URLSearchParams(new URL(demo.signInLink).hash.slice(1)).get('token');
    const signIn = (): Promise<Response> =>
      fetch(`${demo.url}/dashboard/api/sign-in-link`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      });
    const first = await signIn();
    for (const cookie of first.headers.getSetCookie()) secret(cookie.split(/[=;]/)[1] ?? '');
    expect([first.status, (await signIn()).status]).toEqual([200, 400]);
    expect(await svcd.stop()).toEqual({ code: 0, signal: null });
  });

  test('has 90 days of made-up requests, marked in every entry, and svcd verify finds no difference', async () => {
    const { demo, svcd } = await startDemo();
    const headers = bearer(demo.liveKey);
    const entries: AuditLogEntry[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const answer = await fetch(`${demo.url}/v1/audit-log?kind=api.request&limit=100${query}`, { headers });
      const page = (await answer.json()) as ListEnvelope<AuditLogEntry>;
      entries.push(...page.data);
      cursor = page.pagination.nextCursor;
    }
    // Those of earlier tests of this file are real.
    const madeUp = entries.filter(({ userAgent }) => userAgent === MADE_UP);
    expect(madeUp.length).toBeGreaterThan(3_000);
    const real = entries.filter(({ userAgent }) => userAgent !== MADE_UP);
    const newest = madeUp[0]?.createdAt ?? '';
    expect(real.every(({ createdAt }) => createdAt > newest)).toBe(true);
    expect(daysSince(newest)).toBe(0);
    // The oldest entry may become 90 days old while the test runs.
    expect([89, 90]).toContain(daysSince(madeUp.at(-1)?.createdAt ?? ''));
    expect(new Set(madeUp.map(({ createdAt }) => daysSince(createdAt))).size).toBeGreaterThanOrEqual(90);
    expect(madeUp.filter(({ status = 0 }) => status >= 400).length / madeUp.length).toBeGreaterThan(0.02);
    expect(new Set(madeUp.map(({ ip = '' }) => ip.replace(/\d+$/, '')))).toEqual(
      new Set(['198.51.100.', '203.0.113.', '192.0.2.']),
    );
    const read = async <T>(path: string): Promise<readonly T[]> =>
      ((await (await fetch(`${demo.url}/v1/${path}`, { headers })).json()) as ListEnvelope<T>).data;
    const keys = (await read<ApiKey>('api-keys?limit=100')).filter(({ name }) => name.endsWith('(made up)'));
    expect(keys).toHaveLength(CLIENTS.length);
    const oldest = madeUp.at(-1)?.createdAt ?? '';
    for (const { createdAt, lastUsedAt } of keys) {
      expect(createdAt < oldest).toBe(true);
      expect(Date.parse(lastUsedAt ?? '')).toBeGreaterThan(Date.parse(createdAt));
    }
    const creations = await read<AuditLogEntry>('audit-log?kind=key.created&limit=100');
    expect(
      creations.filter(({ keyId }) => keys.some(({ id }) => id === keyId)).map(({ createdAt }) => createdAt),
    ).toEqual(keys.map(({ createdAt }) => createdAt));
    await svcd.stop();
    const verified = await runSvcd(['verify'], { env: { SVC_DATA_DIR: dataDir } });
    expect([verified.code, verified.stdout + verified.stderr]).toEqual([
      0,
      expect.stringContaining('no differences'),
    ]);

    // The next start adds none.
    const again = await startDemo();
    await again.svcd.stop();
    const later = await runSvcd(['verify'], { env: { SVC_DATA_DIR: dataDir } });
    expect(later.code).toBe(0);
  });

  test('when it runs again, keeps the data and the earlier keys, and prints new keys', async () => {
    const before = await startDemo();
    await before.svcd.stop();
    const { demo, svcd } = await startDemo({ SVC_WORKERS: '2' });
    expect(svcd.stdout().trim().split('\n')).toHaveLength(1);
    expect(demo.workspaceId).toBe(before.demo.workspaceId);
    const status = async (token: string): Promise<number> =>
      (await fetch(`${demo.url}/v1/companies`, { headers: bearer(token) })).status;
    const tokens = [before.demo.testKey, before.demo.liveKey, demo.testKey, demo.liveKey];
    expect(new Set(tokens).size).toBe(4);
    expect(await Promise.all(tokens.map(status))).toEqual([200, 200, 200, 200]);
    expect(await total(`${demo.url}/v1/content`, demo.testKey)).toBe(500);
    const second = await runSvcd(['demo', '--json'], { env });
    expect([second.code, second.stderr]).toEqual([
      1,
      expect.stringContaining(`is in use by svcd demo (pid ${svcd.pid})`),
    ]);
    await svcd.stop();
  });

  test('with the settings of a real service, has its own database, address and sign-in', async () => {
    const { demo, svcd } = await startDemo(REAL_SERVICE);
    expect(demo.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(demo.signInLink.startsWith(`${demo.url}/`)).toBe(true);
    expect((await fetch(`${demo.url}/v1/companies`, { headers: bearer(demo.testKey) })).status).toBe(200);
    const openId = await fetch(`${demo.url}/dashboard/api/auth/openid`);
    expect(await openId.json()).toEqual({ provider: null });
    await svcd.stop();
  });

  test('prints the address that --public-url names', async () => {
    const publicUrl = 'http://demo.example.com:9000';
    const { demo, svcd } = await startDemo(REAL_SERVICE, '--public-url', publicUrl);
    expect([demo.url, demo.signInLink]).toEqual([publicUrl, expect.stringMatching(`^${publicUrl}/`)]);
    await svcd.stop();
  });

  test('without a port uses another one if a program listens on 8080', async () => {
    await using other = createServer();
    const held = await new Promise<boolean>((resolve) => {
      other.once('listening', () => resolve(true)).once('error', () => resolve(false));
      other.listen({ host: '127.0.0.1', port: 8080 });
    });
    const { demo, svcd } = await startDemo({ SVC_PORT: '' });
    // If another program had it, it may have released it since.
    const { port } = new URL(demo.url);
    if (held) expect(port).not.toBe('8080');
    expect((await fetch(`${demo.url}/v1/companies`, { headers: bearer(demo.testKey) })).status).toBe(200);
    await svcd.stop();
    const said = svcd.stderr().includes(`Port 8080 is in use, so the demo uses port ${port}.\n`);
    expect(said).toBe(port !== '8080');
  });

  test('runs on a port that browsers block, where svcd health and svcd doctor reach it too', async () => {
    const port = String(await blockedPort());
    const { demo, svcd } = await startDemo({ SVC_PORT: port });
    expect(demo.url).toBe(`http://127.0.0.1:${port}`);
    const settings = { SVC_DATA_DIR: dataDir, SVC_PORT: port };
    const health = await runSvcd(['health', '--ready'], { env: settings });
    expect([health.code, health.stdout]).toEqual([0, `${demo.url}/readyz responds with 200\n`]);
    const doctor = await runSvcd(['doctor'], { env: settings });
    expect([doctor.code, doctor.stdout]).toEqual([0, expect.stringMatching(/^ok +service +answers at /m)]);
    expect(doctor.stdout).toMatch(/^ok +proxies /m);
    await svcd.stop();
  });

  test('prints a curl command that works when it is pasted', async () => {
    const svcd = spawnSvcd(['demo'], { env, resultIsSecret: true });
    const [line] = await svcd.printed(/^ {2}curl .*$/m);
    const { stdout } = await run('sh', ['-c', `${line} --silent --fail`]);
    expect(JSON.parse(stdout)).toMatchObject({ data: [{}, {}, {}], pagination: { hasMore: true } });
    await svcd.stop();
  });
});
