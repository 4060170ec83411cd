import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { ensurePartitions } from '../../src/audit-log/partitions.ts';
import { migrate } from '../../src/database/migrate.ts';
import { readMigrationFiles } from '../../src/database/migration-files.ts';
import { createTestDashboard, sessionCookie, type TestDashboard } from '../harness/dashboard.ts';
import { createTestDatabase } from '../harness/database.ts';
import { runSvcd } from '../harness/process.ts';
import { createTestService, type TestAnswer, type TestService } from '../harness/service.ts';
import { totpCode } from '../harness/totp.ts';
import { findingsOf } from '../harness/verify.ts';
import { RECORDED_EMAIL, RECORDED_PASSWORD, RECORDED_SECRET, type Recorded } from './recorded.ts';
import { addLargeWorkspace, restoreRelease } from './restore.ts';

/** What version 0.1.0 has kept and answered, recorded from that program. */
const recorded = JSON.parse(await readFile(join(import.meta.dirname, '0.1.0.json'), 'utf8')) as Recorded;

const AUDITS = 1_000_000;
const LARGE = 'wks_large';
const PAGE = 100;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PREPARATION_MS = 600_000;
/** An hour after the recording: its cursors are valid then, whenever the test runs. */
const clock = { now: recorded.recordedAt + HOUR_MS };

interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly pagination: { readonly nextCursor: string | null; readonly hasMore: boolean };
}

let service: TestService;
let dashboard: TestDashboard;

beforeAll(async () => {
  const database = await createTestDatabase({ template: false });
  const { pool } = database;
  await restoreRelease(pool, recorded);
  await addLargeWorkspace(pool, recorded, LARGE, AUDITS);
  const started = performance.now();
  const { applied } = await migrate(pool);
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  process.stdout.write(`migrations ${applied.join(', ')} over ${AUDITS} audits: ${seconds} s\n`);
  await ensurePartitions(pool);
  service = await createTestService({ database, clock, secrets: [RECORDED_SECRET] });
  dashboard = createTestDashboard(service);
}, PREPARATION_MS);

afterEach(() => {
  clock.now = recorded.recordedAt + HOUR_MS;
  vi.useRealTimers();
});

const tokenOf = (name: keyof Recorded['keys']): string => {
  const { mode, secret } = recorded.keys[name];
  return `svc_${mode}_${secret}`;
};

const get = (path: string, token = tokenOf('live')): Promise<TestAnswer> => service.request(token, path);

const withParameter = (path: string, parameter: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}${parameter}`;

/** Signs in with the password, then with a code; resolves with what the second step answers. */
async function signIn(step: 'verify-totp' | 'verify-backup-code', code: string): Promise<TestAnswer> {
  const first = await dashboard.enter(RECORDED_EMAIL, RECORDED_PASSWORD);
  expect(first.json()).toMatchObject({ twoFactorRedirect: true });
  const cookie = [first.headers['set-cookie'] ?? []].flat().map((text) => String(text).split(';')[0]);
  return dashboard.nobody.send(
    'POST',
    `/auth/two-factor/${step}`,
    { code },
    { headers: { cookie: cookie.join('; ') } },
  );
}

const me = (cookie: string): Promise<TestAnswer> =>
  dashboard.nobody.send('GET', '/me', undefined, { headers: { cookie } });

describe('a database of version 0.1.0, after the upgrade,', () => {
  test('has all migrations, and those of 0.1.0 are the files of today', async () => {
    const { rows } = await service.pool.query(
      'select number, name, sha256 from schema_migrations order by number',
    );
    const files = await readMigrationFiles();
    expect(rows).toEqual(files.map(({ number, name, sha256 }) => ({ number, name, sha256 })));
    const before = (recorded.tables['schema_migrations'] ?? []).map(({ number, name, sha256 }) => ({
      number,
      name,
      sha256,
    }));
    expect(rows.slice(0, before.length)).toEqual(before);
  });

  test('knows its keys: live, test, for writing, of one company, revoked', async () => {
    for (const name of ['live', 'test', 'write', 'limited'] as const) {
      expect((await get('/v1/companies', tokenOf(name))).status).toBe(200);
    }
    expect((await get('/v1/companies', tokenOf('limited'))).json<Page>().data).toMatchObject([
      { id: 'com_2' },
    ]);
    expect((await get('/v1/companies', tokenOf('revoked'))).status).toBe(401);
    const body = { companyId: 'com_1', headlineScore: 50, completedAt: '2026-03-01T09:30:00Z' };
    const dryRun = await service.request(tokenOf('test'), '/v1/audits', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify(body),
    });
    expect(dryRun.status).toBe(403);
  });

  test.each(recorded.pages)('lists $path as 0.1.0 did, and goes on from its cursor', async (pages) => {
    const { path, first, cursor, next } = pages;
    const page = withParameter(path, 'limit=5');
    expect((await get(page)).json<Page>().data).toEqual(first);
    if (cursor === undefined) return;
    const following = withParameter(page, `cursor=${cursor}`);
    expect((await get(following)).json<Page>().data).toEqual(next);
    clock.now = recorded.recordedAt + DAY_MS + HOUR_MS;
    expect((await get(following)).json()).toMatchObject({ error: { code: 'cursor_expired' } });
  });

  test('lets its owner in with the second factor, and with a backup code once', async () => {
    const entered = await signIn('verify-totp', totpCode(recorded.totpUri));
    expect(entered.status).toBe(200);
    expect((await me(sessionCookie(entered) ?? '')).json()).toMatchObject({
      user: { email: RECORDED_EMAIL },
    });
    const [code = ''] = recorded.backupCodes;
    expect((await signIn('verify-backup-code', code)).status).toBe(200);
    expect((await signIn('verify-backup-code', code)).status).toBe(400);
  });

  test('keeps a person signed in', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: recorded.recordedAt + HOUR_MS });
    const cookie = Object.entries(recorded.session).map((pair) => pair.join('='));
    expect((await me(cookie.join('; '))).json()).toMatchObject({ user: { email: RECORDED_EMAIL } });
  });

  test('shows the whole audit log of before in that of now', async () => {
    const { rows } = await service.pool.query<{ id: string }>(
      'select id from audit_log where workspace_id = $1 order by created_at',
      [recorded.workspaceId],
    );
    const ids = (recorded.tables['audit_log'] ?? []).map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(10);
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    const log = await get(`/v1/audit-log?limit=${PAGE}`);
    expect(log.status).toBe(200);
    expect(log.json<Page>().data.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  });

  test('serves a million audits: counts them, and pages through them in both orders without a gap', async () => {
    const token = await service.token(LARGE);
    expect((await get('/v1/audits/count', token)).json()).toEqual({ count: AUDITS, approximate: false });
    const seen: string[] = [];
    let path = `/v1/audits?limit=${PAGE}`;
    for (let page = 0; page < 3; page++) {
      const { data, pagination } = (await get(path, token)).json<Page>();
      seen.push(...data.map(({ id }) => id));
      path = `/v1/audits?limit=${PAGE}&cursor=${pagination.nextCursor}`;
    }
    expect(seen).toEqual(Array.from({ length: 3 * PAGE }, (_, n) => `aud_large_${AUDITS - n}`));
    const { data } = (await get('/v1/audits?sort=created-ascending&limit=2', token)).json<Page>();
    expect(data.map(({ id }) => id)).toEqual(['aud_large_1', 'aud_large_2']);
  });

  test('refuses a node that is older than its schema, in one line, and is as it was', async () => {
    const { url, pool } = service.database;
    const { rows } = await pool.query('select max(number) + 1 as number from schema_migrations');
    const newer = [rows[0]?.number, 'newer.sql', 'sha256 of a newer release'];
    await pool.query('insert into schema_migrations (number, name, sha256) values ($1, $2, $3)', newer);
    try {
      const env = { SVC_DATABASE_URL: url, SVC_SECRET: RECORDED_SECRET, SVC_PORT: '0', SVC_WORKERS: '1' };
      const { code, stderr } = await runSvcd(['start'], { env });
      expect(stderr).toMatch(
        /^svcd: the database is newer than this program: it has migration newer\.sql, .* Start the newer program\.\n$/,
      );
      expect(code).toBe(1);
    } finally {
      await pool.query('delete from schema_migrations where number = $1', newer.slice(0, 1));
    }
  });

  test('is found whole by svcd verify', async () => {
    expect(await findingsOf(service.pool)).toEqual([]);
  }, 300_000);
});
