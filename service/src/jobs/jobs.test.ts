import { makeWorkerUtils } from 'graphile-worker';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { onFileEnd } from '../../test/harness/cleanup.ts';
import { createTestDatabase } from '../../test/harness/database.ts';
import { TEST_SECRET } from '../../test/harness/service.ts';
import { listPartitions } from '../audit-log/partitions.ts';
import { type Jobs, startJobs } from './jobs.ts';

const WAIT = { timeout: 15_000, interval: 20 } as const;

const { pool, url } = await createTestDatabase();
pool.on('connect', (client) => client.on('error', () => undefined));

test('a job runs once, on one of several nodes, by the clock of the database; all of them stop at once', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const last = (await listPartitions(pool)).at(-1)?.name ?? '';
  await pool.query(`drop table ${last}`);
  const nodes: Jobs[] = ['2040-05-10T00:00:00Z', '2020-05-10T00:00:00Z'].map((time) =>
    startJobs({
      databaseUrl: url,
      logRetentionDays: 36_500,
      secrets: [TEST_SECRET],
      log,
      clock: () => Date.parse(time),
    }),
  );
  onFileEnd(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
  });
  const utils = await makeWorkerUtils({ pgPool: pool });
  await utils.addJob('maintain_audit_log', {}, { jobKey: 'once' });
  await vi.waitFor(async () => {
    expect((await listPartitions(pool)).map(({ name }) => name)).toContain(last);
  }, WAIT);
  await utils.release();
  expect(lines.filter((line) => line.includes('made the audit log'))).toEqual([
    expect.stringContaining(`made the audit log's partitions ${last}"`),
  ]);
});
