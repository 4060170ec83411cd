import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { findEmbedded } from '@svc/embedded-postgres';
import { waitFor } from '@svc/embedded-postgres/testing';
import { ensurePartitions, listPartitions } from '@svc/service/audit-log/partitions';
import { migrate, readMigrationFiles } from '@svc/service/database/migrate';
import { createPool, FOR_COMMANDS } from '@svc/service/database/pool';
import { onFileEnd } from '@svc/service/harness/cleanup.ts';
import {
  connectEmbedded,
  type RunningService,
  startRunningService,
} from '@svc/service/harness/running-service.ts';
import { maintainAuditLog } from '@svc/service/jobs/audit-log-partitions';
import type pg from 'pg';
import { pino } from 'pino';
import { beforeAll, expect, test, vi } from 'vitest';
import { ask, dataDirOf, quietWorkspace } from './support.ts';

const TIMEOUT_MS = 120_000;
vi.setConfig({ testTimeout: TIMEOUT_MS });
const SVCD = join(import.meta.dirname, '../../src/svcd.ts');
/** More than the pipe, the sockets and the program hold. */
const AUDITS = 50_000;
/** A wait for a lock of a table would last two seconds or longer. */
const DELAY_MAX_MS = 1_500;
const OLD = 'audit_log_2025_01';

let running: RunningService;
let pool: pg.Pool;
const log = pino({ level: 'silent' });

beforeAll(async () => {
  running = await startRunningService();
  await quietWorkspace(running.env, AUDITS);
  const url = (await findEmbedded(dataDirOf(running.env)))?.url ?? '';
  pool = createPool({ url, max: 3, name: 'test', ...FOR_COMMANDS, onError: () => undefined });
  onFileEnd(() => pool.end());
  await ensurePartitions(pool, Date.UTC(2025, 0, 1));
}, TIMEOUT_MS);

/** A backup that holds its locks, because nobody reads its output. */
async function blockedBackup() {
  const child = spawn(process.execPath, [SVCD, 'backup', '-'], {
    env: { PATH: process.env['PATH'], ...running.env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  onFileEnd(async () => {
    child.kill('SIGKILL');
  });
  const client = await connectEmbedded(dataDirOf(running.env));
  await waitFor(async () => {
    const { rows } = await client.query(
      `select from pg_stat_activity where application_name = 'svcd backup' and wait_event = 'ClientWrite'`,
    );
    expect(rows).toHaveLength(1);
  });
  return {
    /** Reads all of it. */
    finish: async () => {
      child.stdout.resume();
      expect((await exited)[0]).toBe(0);
    },
  };
}

/** Writes and reads until `stop`, which returns the longest time of a request. All must succeed. */
async function keepAsking() {
  const key = await running.dashboard.createKey(running.workspaceId, { access: 'write' });
  let stopped = false;
  let longestMs = 0;
  const timed = async (path: string, body?: object) => {
    const started = performance.now();
    expect((await ask(running.service, path, key, body)).status).toBeLessThan(300);
    longestMs = Math.max(longestMs, performance.now() - started);
  };
  const work = (async () => {
    for (let index = 0; !stopped; index++)
      await Promise.all([timed('/v1/companies', { name: `Company ${index}` }), timed('/v1/audits?limit=5')]);
  })();
  return async () => {
    stopped = true;
    await work;
    return longestMs;
  };
}

const maintain = () => maintainAuditLog({ pool, log, nodeNowMs: Date.now(), retentionDays: 30 });
const oldIsThere = async () => (await listPartitions(pool)).some(({ name }) => name === OLD);

test('a month of the audit log is dropped after the backup, and requests wait for neither', async () => {
  const backup = await blockedBackup();
  const stop = await keepAsking();
  expect(await maintain()).toBe(true);
  expect(await stop()).toBeLessThan(DELAY_MAX_MS);
  expect(await oldIsThere()).toBe(true);
  await backup.finish();
  expect(await maintain()).toBe(false);
  expect(await oldIsThere()).toBe(false);
});

test('the migrations of a newer release wait for a backup, and then refuse; requests do not wait for them', async () => {
  const files = await readMigrationFiles();
  const number = files.length + 1;
  const sql = 'alter table audits add column later integer';
  const newer = [...files, { number, name: `${number}_later.sql`, sql, sha256: 'later' }];
  const backup = await blockedBackup();
  const stop = await keepAsking();
  await expect(migrate(pool, log, newer)).rejects.toThrow('a backup of the database runs');
  expect(await stop()).toBeLessThan(DELAY_MAX_MS);
  const migrated = migrate(pool, log, newer);
  await waitFor(async () => {
    const { rows } = await pool.query(
      `select from pg_locks where locktype = 'advisory' and not granted and pid <> pg_backend_pid()`,
    );
    expect(rows).toHaveLength(1);
  });
  await backup.finish();
  expect(await migrated).toMatchObject({ applied: [number] });
});
