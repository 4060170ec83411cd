import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../harness/database.ts';
import { runSvcd } from '../harness/process.ts';
import { OLD_PGBOUNCER, startPgBouncer } from './pgbouncer.ts';

const { url } = await createTestDatabase();
const SECRET = randomBytes(32).toString('base64url');

const start = (env: Readonly<Record<string, string>>) =>
  runSvcd(['start'], { env: { SVC_SECRET: SECRET, SVC_PORT: '0', SVC_WORKERS: '1', ...env } });

const throughPooler = (pooler: string): Readonly<Record<string, string>> => ({
  SVC_DATABASE_URL: pooler,
  SVC_DATABASE_POOLER: 'transaction',
  SVC_DATABASE_DIRECT_URL: url,
});

// Debian 12 has PgBouncer 1.18: apt-get install pgbouncer.
describe.skipIf(OLD_PGBOUNCER === undefined)(
  'a PgBouncer older than 1.21 is refused at the start, by its version',
  () => {
    test('with SVC_DATABASE_POOLER=transaction', async () => {
      const pooler = await startPgBouncer(OLD_PGBOUNCER ?? '', url);
      const { code, stderr } = await start(throughPooler(pooler.url));
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/SVC_DATABASE_URL: PgBouncer 1\.\d+\.\d+ is too old/),
      ]);
      expect(stderr).toContain('needs PgBouncer 1.21 or newer');
    });

    test('without the setting', async () => {
      const pooler = await startPgBouncer(OLD_PGBOUNCER ?? '', url);
      const { code, stderr } = await start({ SVC_DATABASE_URL: pooler.url });
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining('SVC_DATABASE_URL: PgBouncer is in between'),
      ]);
      expect(stderr).toMatch(
        /set SVC_DATABASE_POOLER|SVC_DATABASE_POOLER=transaction.*This is PgBouncer 1\.\d+\.\d+: too old/,
      );
    });

    test('also if it ignores the settings of a session, which it would drop', async () => {
      const pooler = await startPgBouncer(OLD_PGBOUNCER ?? '', url, { ignore_startup_parameters: 'options' });
      const { code, stderr } = await start({ SVC_DATABASE_URL: pooler.url });
      expect([code, stderr]).toEqual([1, expect.stringContaining('ignores the settings of a session')]);
    });

    test('also if it does not say its version', async () => {
      const pooler = await startPgBouncer(OLD_PGBOUNCER ?? '', url, { stats_users: '' });
      const { code, stderr } = await start(throughPooler(pooler.url));
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining('it is older than PgBouncer 1.21, or max_prepared_statements is 0'),
      ]);
    });

    test('as the direct URL', async () => {
      const pooler = await startPgBouncer(OLD_PGBOUNCER ?? '', url);
      const { code, stderr } = await start({
        ...throughPooler(pooler.url),
        SVC_DATABASE_DIRECT_URL: pooler.url,
      });
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining('SVC_DATABASE_DIRECT_URL: PgBouncer is in between'),
      ]);
    });

    test('by a command, in the same words', async () => {
      const pooler = await startPgBouncer(OLD_PGBOUNCER ?? '', url);
      const { code, stderr } = await runSvcd(['verify'], {
        env: { SVC_SECRET: SECRET, SVC_DATABASE_URL: pooler.url },
      });
      expect([code, stderr]).toEqual([2, expect.stringContaining('PgBouncer is in between')]);
    });
  },
);

test('settings of a pooler that do not fit together are named', async () => {
  const { code, stderr } = await start({ SVC_DATABASE_POOLER: 'transaction' });
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('SVC_DATABASE_URL must be set if SVC_DATABASE_POOLER'),
  ]);
  expect(stderr).toContain('SVC_DATABASE_DIRECT_URL must be set if SVC_DATABASE_POOLER');
  const alone = await start({ SVC_DATABASE_URL: url, SVC_DATABASE_DIRECT_URL: url });
  expect(alone.stderr).toContain('SVC_DATABASE_DIRECT_URL is used only with SVC_DATABASE_POOLER=transaction');
  const optioned = await start(throughPooler('postgres://svc@127.0.0.1:1/svc?options=-c%20search_path%3Dx'));
  expect(optioned.stderr).toContain('SVC_DATABASE_URL must have no options');
});
