import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { ensurePartitions } from '../../src/audit-log/partitions.ts';
import { migrate, readMigrationFiles } from '../../src/database/migrate.ts';
import { createTestDashboard } from '../harness/dashboard.ts';
import { createTestDatabase } from '../harness/database.ts';
import { createTestService, type TestService } from '../harness/service.ts';
import { findingsOf } from '../harness/verify.ts';
import { type Ask, DASHBOARD } from './ask.ts';
import { checkKeys, checkPages, checkSecondFactor, checkSession, type Page, pageOf } from './checks.ts';
import { RECORDED_SECRET, type RecordedDatabase, tokenOf } from './recorded.ts';
import { restoreRelease } from './restore.ts';

// The quick test, with a small recorded database. `npm run prove -- upgrade` runs the release itself.

/** What version 0.1.0 has kept and answered, recorded from that program. */
const recorded = JSON.parse(
  await readFile(join(import.meta.dirname, '0.1.0.json'), 'utf8'),
) as RecordedDatabase;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** An hour after the recording: its cursors are valid then, whenever the test runs. */
const clock = { now: recorded.recordedAt + HOUR_MS };
const live = tokenOf(recorded, 'live');

let service: TestService;
let ask: Ask;

beforeAll(async () => {
  const database = await createTestDatabase({ template: false });
  await restoreRelease(database.pool, recorded);
  await migrate(database.pool);
  await ensurePartitions(database.pool);
  service = await createTestService({ database, clock, secrets: [RECORDED_SECRET] });
  const { nobody } = createTestDashboard(service);
  ask = (path, { method, token = null, headers = {}, body } = {}) => {
    const verb = method ?? (body === undefined ? 'GET' : 'POST');
    if (path.startsWith(DASHBOARD)) {
      return nobody.send(verb as 'GET' | 'POST', path.slice(DASHBOARD.length), body, { headers });
    }
    const payload =
      body === undefined
        ? { headers }
        : { headers: { 'content-type': 'application/json', ...headers }, payload: JSON.stringify(body) };
    return service.request(token, path, { method: verb as 'GET' | 'POST', ...payload });
  };
});

afterEach(() => {
  clock.now = recorded.recordedAt + HOUR_MS;
  vi.useRealTimers();
});

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

  test('knows its keys: live, test, for writing, of one company, revoked', () => checkKeys(ask, recorded));

  test.each(recorded.pages)('lists $path as 0.1.0 did, and continues from its cursor', async (pages) => {
    await checkPages(ask, live, pages);
    if (pages.cursor === undefined) return;
    clock.now = recorded.recordedAt + DAY_MS + HOUR_MS;
    const expired = await ask(`${pageOf(pages.path)}&cursor=${pages.cursor}`, { token: live });
    expect(expired.json()).toMatchObject({ error: { code: 'cursor_expired' } });
  });

  test('lets its owner in with the second factor, and with a backup code once', () =>
    checkSecondFactor(ask, recorded));

  test('keeps a person signed in', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: recorded.recordedAt + HOUR_MS });
    const cookie = Object.entries(recorded.session).map((pair) => pair.join('='));
    await checkSession(ask, cookie.join('; '));
  });

  test('keeps every entry of the audit log', async () => {
    const { rows } = await service.pool.query<{ id: string }>(
      'select id from audit_log where workspace_id = $1 order by created_at',
      [recorded.workspaceId],
    );
    const ids = (recorded.tables['audit_log'] ?? []).map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(10);
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    const log = await ask('/v1/audit-log?limit=100', { token: live });
    expect(log.json<Page>().data.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  });

  test('passes svcd verify', async () => {
    expect(await findingsOf(service.pool)).toEqual([]);
  });
});
