import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@svc/embedded-postgres/testing';
import pg from 'pg';
import { pino } from 'pino';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../test/harness/database.ts';
import { startProxy } from '../../test/harness/postgres/proxy.ts';
import { temporaryDirectory } from '../../test/harness/temporary-directory.ts';
import { freePort } from '../server/listen.ts';
import { createCommandAnnouncer, type NotificationOptions, openNotifications } from './notifications.ts';

const PGBOUNCER = '/usr/sbin/pgbouncer';

const { pool, url } = await createTestDatabase();

const [, name = '', socketDirectory = ''] = /@\/(\w+)\?host=(.*)$/.exec(url) ?? [];
const socketPath = `${decodeURIComponent(socketDirectory)}/.s.PGSQL.5432`;
/** The database by a port of this machine. */
const urlAt = (port: number): string => url.replace(/@\/.*$/, `@127.0.0.1:${port}/${name}`);

/** A node, with the topics that it has received and the messages of its log. */
function node(options: Partial<NotificationOptions> = {}) {
  const received: string[] = [];
  const log: string[] = [];
  const notifications = openNotifications({
    databaseUrl: url,
    log: pino({ level: 'info' }, { write: (line: string) => void log.push(JSON.parse(line).msg) }),
    onTopics: (topics) => received.push(...topics),
    ...options,
  });
  onTestFinished(notifications.close);
  return { ...notifications, received, log };
}

const listeners = async (): Promise<readonly number[]> => {
  const { rows } = await pool.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where datname = current_database() and application_name = 'svcd signals' and query ~ '^listen'`,
  );
  return rows.map(({ pid }) => pid);
};
const listening = (count: number) => waitFor(async () => expect(await listeners()).toHaveLength(count));

// A connection is still listed for a moment after its client has closed it.
beforeEach(() => listening(0));

test('a node gets what another node and a command announce, and not what it announces itself', async () => {
  const [a, b] = [node(), node()];
  await listening(2);
  a.announce('wks_1');
  await expect.poll(() => b.received).toEqual(['wks_1']);
  const command = createCommandAnnouncer(pool);
  command.announce('wks_2');
  await command.drain();
  await expect.poll(() => [a.received, b.received]).toEqual([['wks_2'], ['wks_1', 'wks_2']]);
});

test('topics that do not fit in one notification are sent in several', async () => {
  const [a, b] = [node(), node()];
  await listening(2);
  const topics = Array.from({ length: 1_000 }, (_, i) => `wks_01h455vb4pex5vsknk084sn02q_${i}`);
  for (const topic of topics) a.announce(topic);
  await expect.poll(() => b.received).toEqual(topics);
});

test('a node whose connection is ended listens again, says so once, and gets the next announcement', async () => {
  const a = node();
  await listening(1);
  for (const round of [1, 2]) {
    const [pid] = await listeners();
    await pool.query('select pg_terminate_backend($1)', [pid]);
    await waitFor(async () => {
      const [now] = await listeners();
      expect(now).toBeDefined();
      expect(now).not.toBe(pid);
    });
    await expect.poll(() => a.log.filter((line) => /again/.test(line))).toHaveLength(round);
  }
  expect(a.log.filter((line) => /cannot be received/.test(line))).toHaveLength(2);
  const command = createCommandAnnouncer(pool);
  command.announce('wks_3');
  await expect.poll(() => a.received).toEqual(['wks_3']);
});

test('a node that has listened again several times probes no more often than before', async () => {
  // Longer than it takes to listen again, so that a probe of an earlier connection would be heard by the next one.
  const probePauseMs = 400;
  const a = node({ probePauseMs });
  await listening(1);
  for (const round of [1, 2, 3]) {
    const [pid] = await listeners();
    await pool.query('select pg_terminate_backend($1)', [pid]);
    await expect.poll(() => a.log.filter((line) => /again/.test(line))).toHaveLength(round);
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  let probes = 0;
  client.on('notification', () => {
    probes += 1;
  });
  await client.query('listen svc_changes');
  const before = performance.now();
  await expect.poll(() => probes, { timeout: 30_000 }).toBeGreaterThan(8);
  expect(performance.now() - before).toBeGreaterThan(7 * probePauseMs);
});

test('an announcement whose notification fails is lost without an error, and later ones arrive', async () => {
  const [a, b] = [node(), node()];
  await listening(2);
  // PostgreSQL refuses a payload of this length.
  a.announce('x'.repeat(8_000));
  await a.drain();
  a.announce('wks_4');
  await expect.poll(() => b.received).toEqual(['wks_4']);
  expect(a.log.filter((line) => /cannot be announced/.test(line))).toHaveLength(1);
});

test('a node notices that its connection is dead, and listens again', async () => {
  const proxy = await startProxy(socketPath);
  onTestFinished(proxy.close);
  const a = node({ databaseUrl: urlAt(proxy.port), probePauseMs: 100, probeTimeoutMs: 1_000 });
  await listening(1);
  const [pid] = await listeners();
  // The connection that notifies is lost too. Its statement fails after some seconds.
  proxy.lose();
  await expect.poll(() => a.log).toContain('the database delivers notifications again');
  expect((await listeners()).filter((each) => each !== pid)).toHaveLength(1);
  const command = createCommandAnnouncer(pool);
  command.announce('wks_5');
  await expect.poll(() => a.received).toEqual(['wks_5']);
});

// Skipped where PgBouncer is not installed: it is a package of the operating system.
test.runIf(existsSync(PGBOUNCER))(
  'behind a pooler in transaction mode, the log says once that notifications do not arrive',
  async () => {
    const directory = await temporaryDirectory();
    const proxy = await startProxy(socketPath);
    onTestFinished(proxy.close);
    const port = await freePort('127.0.0.1');
    const settings = [
      '[databases]',
      `${name} = host=127.0.0.1 port=${proxy.port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${join(directory, 'users')}`,
      'pool_mode = transaction',
      'ignore_startup_parameters = options',
    ];
    const { user, password } = new pg.Client({ connectionString: url });
    await writeFile(join(directory, 'users'), `"${user}" "${password ?? ''}"`);
    await writeFile(join(directory, 'settings'), settings.join('\n'));
    // It refuses to run as root.
    await chmod(directory, 0o755);
    const asNobody = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    const pooler = spawn(PGBOUNCER, [...asNobody, join(directory, 'settings')], { stdio: 'ignore' });
    const ended = once(pooler, 'exit');
    onTestFinished(async () => void (pooler.kill() && (await ended)));
    const b = node();
    await listening(1);
    const a = node({ databaseUrl: urlAt(port), probeTimeoutMs: 500 });
    await expect.poll(() => a.log.filter((line) => /pooler in transaction mode/.test(line))).toHaveLength(1);
    // Other nodes still get what it announces.
    a.announce('wks_6');
    await expect.poll(() => b.received).toEqual(['wks_6']);
  },
);
