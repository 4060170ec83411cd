import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isProcessAlive, onFileEnd, waitFor } from '@svc/embedded-postgres/testing';
import { createHistoryTable } from '@svc/service/database/migrate';
import { createTestDatabase } from '@svc/service/harness/database.ts';
import { interrupt, type SvcdProcess, spawnSvcd, startSvcd } from '@svc/service/harness/process.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { expect, test, vi } from 'vitest';

vi.setConfig({ testTimeout: 120_000 });

const start = (env: Readonly<Record<string, string>>): SvcdProcess =>
  spawnSvcd(['start'], { env: { SVC_PORT: '0', SVC_WORKERS: '1', ...env } });

/** A start whose PostgreSQL recovers without an end, and the process id of that. */
async function startInRecovery(): Promise<SvcdProcess & { readonly postmaster: number }> {
  const dataDir = join(await temporaryDirectory(), 'data');
  await (await startSvcd({ SVC_DATA_DIR: dataDir })).stop();
  await writeFile(join(dataDir, 'postgres/standby.signal'), '');
  await appendFile(join(dataDir, 'postgres.config/postgresql.conf'), 'hot_standby = off\n');
  const service = start({ SVC_DATA_DIR: dataDir });
  await waitFor(async () =>
    expect(await readFile(join(dataDir, 'postgres.log'), 'utf8')).toContain('entering standby mode'),
  );
  const postmaster = Number.parseInt(await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);
  onFileEnd(async () => {
    if (isProcessAlive(postmaster)) process.kill(postmaster, 'SIGKILL');
  });
  return { ...service, postmaster };
}

test('a start that waits for the recovery of its PostgreSQL ends with the first signal, and stops PostgreSQL', async () => {
  const { postmaster, stop } = await startInRecovery();
  expect(await stop()).toEqual({ code: 0, signal: null });
  expect(isProcessAlive(postmaster)).toBe(false);
});

test('the second signal ends a start at once, also if its PostgreSQL does not stop', async () => {
  const service = await startInRecovery();
  process.kill(service.postmaster, 'SIGSTOP');
  expect(await interrupt(service)).toEqual({ code: 130, signal: null });
});

test('a start that waits in a migration ends with the first signal, and the next start applies the migration', async () => {
  const { url, pool } = await createTestDatabase({ template: false });
  const env = { SVC_DATABASE_URL: url, SVC_SECRET: 'a secret that only this test knows' };
  await pool.query(createHistoryTable());
  const other = await pool.connect();
  await other.query('begin; set local idle_in_transaction_session_timeout = 0');
  await other.query(`insert into schema_migrations (number, name, sha256) values (1, 'other', '')`);
  const service = start(env);
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await waitFor(async () => expect((await pool.query(waiting)).rows).toHaveLength(1));
  expect(await service.stop()).toEqual({ code: 0, signal: null });
  // It no longer waits in the queue of the lock, where it would hold back requests of other nodes.
  await waitFor(async () => expect((await pool.query(waiting)).rows).toEqual([]));
  await other.query('rollback');
  other.release();
  await (await startSvcd(env)).stop();
});

test('Ctrl-C while a command creates the database ends it with the code of the signal, and prints nothing', async () => {
  const dataDir = join(await temporaryDirectory(), 'data');
  const { child, ended, stderr } = spawnSvcd(['migrate'], { env: { SVC_DATA_DIR: dataDir }, ownGroup: true });
  await waitFor(async () =>
    expect(await readdir(dataDir, { recursive: true })).toContainEqual(
      expect.stringMatching(/^postgres\.new-.*pg_control$/),
    ),
  );
  // Of a terminal, the programs of PostgreSQL get the signal too.
  process.kill(-(child.pid ?? 0), 'SIGINT');
  expect([await ended, stderr()]).toEqual([{ code: 130, signal: null }, '']);
  expect((await readdir(dataDir)).filter((name) => name.startsWith('postgres.new'))).toEqual([]);
});
