import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Account, serverAccount } from '../src/account/account.ts';
import { findEmbedded } from '../src/index.ts';
import { findPostmaster } from '../src/server/postmaster.ts';
import { type FixtureProcess, killFixtures, type Message, spawnFixture } from './fixture-process.ts';
import { dataDirectory, killServer } from './support/data-directory.ts';
import { waitFor } from './support/wait-for.ts';

const dataDir = await dataDirectory();
const pgdata = join(dataDir, 'postgres');
const account: Account | undefined = serverAccount();

let pool: pg.Pool | undefined;

/** A pool such as the service has. It reconnects without help. */
function connect(url: string | undefined): pg.Pool {
  pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => undefined);
  return pool;
}

async function startService(): Promise<{ service: FixtureProcess; ready: Message; database: pg.Pool }> {
  const service = spawnFixture('service', dataDir);
  const ready = await service.outcome;
  expect(ready).toMatchObject({ ready: true });
  return { service, ready, database: connect(ready.url) };
}

/** Commits a row and returns the rows of the table. */
async function commitRow(database: pg.Pool): Promise<number> {
  await database.query('insert into kept default values');
  return countRows(database);
}

async function countRows(database: pg.Pool): Promise<number> {
  const { rows } = await database.query<{ count: number }>('select count(*)::int as count from kept');
  return rows[0]?.count ?? Number.NaN;
}

function said(fixture: FixtureProcess, text: string): Promise<Message> {
  return fixture.until((message) => message.msg?.includes(text) === true);
}

beforeEach(async () => {
  const { service, database } = await startService();
  await database.query('create table if not exists kept (id int generated always as identity)');
  await database.end();
  await service.stop();
});

afterEach(async () => {
  await pool?.end();
  pool = undefined;
  await killFixtures();
  await killServer(dataDir);
});

describe('after kill -9 of the service', () => {
  test('the next start adopts the PostgreSQL that was left running, says so, and finds every commit', async () => {
    const { service, ready, database } = await startService();
    const rows = await commitRow(database);
    await service.kill();
    const next = spawnFixture('service', dataDir);
    expect(await next.outcome).toMatchObject({ ready: true, adopted: true, pid: ready.pid, url: ready.url });
    await said(next, `adopted the PostgreSQL (pid ${ready.pid}) that another process left running`);
    expect(await countRows(database)).toBe(rows);
    await next.stop();
    expect(await findEmbedded(dataDir)).toBeUndefined();
  });

  test('a command uses the PostgreSQL that was left running and shuts it down when it is done', async () => {
    const { service, ready } = await startService();
    await service.kill();
    const command = spawnFixture('command', dataDir);
    expect(await command.outcome).toMatchObject({ ready: true, adopted: true, pid: ready.pid });
    await command.stop();
    expect(await findPostmaster(pgdata)).toEqual({ kind: 'none' });
  });
});

describe('after kill -9 of the service and of PostgreSQL', () => {
  test('the next start recovers, says so, and finds every commit', async () => {
    const { service, database } = await startService();
    const rows = await commitRow(database);
    await service.kill();
    await killServer(dataDir, 'SIGKILL');
    const next = spawnFixture('service', dataDir);
    expect(await next.outcome).toMatchObject({ ready: true, adopted: false });
    await said(next, 'it recovers from its write-ahead log');
    expect(await countRows(database)).toBe(rows);
  });

  test('another process with the process id of the old PostgreSQL does not prevent a start', async () => {
    const { service, database } = await startService();
    const rows = await commitRow(database);
    await service.kill();
    await killServer(dataDir, 'SIGKILL');
    // The worst case: the process belongs to the user of PostgreSQL, and is no child of the new start.
    const other = spawn('sleep', ['60'], {
      ...(account && { uid: account.uid, gid: account.gid }),
      stdio: 'ignore',
    });
    await once(other, 'spawn');
    const file = join(pgdata, 'postmaster.pid');
    await writeFile(file, (await readFile(file, 'utf8')).replace(/^\d+/, String(other.pid)));
    const next = spawnFixture('service', dataDir);
    try {
      expect(await next.outcome).toMatchObject({ ready: true, adopted: false });
      expect(await countRows(database)).toBe(rows);
      expect(other.exitCode).toBeNull();
    } finally {
      other.kill();
      await once(other, 'exit');
    }
  });
});

describe('while the service runs', () => {
  test('kill -9 of PostgreSQL starts it again on the same URL, pools reconnect, and no commit is lost', async () => {
    const { service, ready, database } = await startService();
    const rows = await commitRow(database);
    process.kill(ready.pid ?? 0, 'SIGKILL');
    await said(service, 'is running again');
    await waitFor(async () => expect(await countRows(database)).toBe(rows));
    const found = await findPostmaster(pgdata);
    expect(found).toMatchObject({ kind: 'running' });
    expect(found).not.toMatchObject({ pid: ready.pid });
    expect(await findEmbedded(dataDir)).toEqual({ url: ready.url });
    expect(await spawnFixture('service', dataDir).outcome).toMatchObject({
      refused: 'DataDirectoryInUseError',
    });
    await service.stop();
    expect(await findEmbedded(dataDir)).toBeUndefined();
  });

  test('kill -9 of one session lets PostgreSQL recover by itself, and the service keeps the directory', async () => {
    const { service, ready, database } = await startService();
    const rows = await commitRow(database);
    const { rows: sessions } = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
    process.kill(sessions[0]?.pid ?? 0, 'SIGKILL');
    await said(service, 'is running again');
    await waitFor(async () => expect(await countRows(database)).toBe(rows));
    expect(await findPostmaster(pgdata)).toMatchObject({ kind: 'running', pid: ready.pid });
    expect(await spawnFixture('service', dataDir).outcome).toMatchObject({
      refused: 'DataDirectoryInUseError',
    });
  });

  test('PostgreSQL and the service go on, however often sessions are ended with SQL', async () => {
    const { service, ready, database } = await startService();
    const rows = await commitRow(database);
    for (let cut = 1; cut <= 7; cut++) {
      await waitFor(() =>
        database.query(`select pg_terminate_backend(pid) from pg_stat_activity
          where backend_type = 'client backend' and pid <> pg_backend_pid()`),
      );
      const isBack = ({ msg = '' }: Message): boolean => msg.includes('is running again');
      await service.until(() => service.messages.filter(isBack).length === cut);
    }
    expect(await countRows(database)).toBe(rows);
    expect(await findPostmaster(pgdata)).toMatchObject({ kind: 'running', pid: ready.pid });
    await said(service, `lost PostgreSQL (pid ${ready.pid}): it shuts down, or its session was ended`);
    await service.stop();
  });

  test('if PostgreSQL cannot be started again, the supervision gives up with what the start says', async () => {
    const { service, ready } = await startService();
    const file = join(dataDir, 'postgres.config', 'postgresql.conf');
    const settings = await readFile(file, 'utf8');
    onTestFinished(() => writeFile(file, settings));
    await writeFile(file, `${settings}\nnonsense_that_is_no_setting = on\n`);
    process.kill(ready.pid ?? 0, 'SIGKILL');
    expect(await service.until((message) => message.failed !== undefined)).toMatchObject({
      failed: expect.stringMatching(
        /could not be started 6 times.*the last start failed: .*nonsense_that_is_no_setting/s,
      ),
    });
  });

  test('if PostgreSQL crashes too often, the supervision gives up with the reason', async () => {
    const { service } = await startService();
    const killed = new Set<number>();
    const killNext = async (): Promise<void> => {
      const found = await findPostmaster(pgdata);
      if (found.kind === 'running' && !killed.has(found.pid)) {
        killed.add(found.pid);
        process.kill(found.pid, 'SIGKILL');
      }
      expect(service.messages.some((message) => message.failed !== undefined)).toBe(true);
    };
    await waitFor(killNext);
    expect(await service.until((message) => message.failed !== undefined)).toMatchObject({
      failed: expect.stringMatching(
        /could not be kept running: it was lost or could not be started 6 times within a minute/,
      ),
    });
  });
});
