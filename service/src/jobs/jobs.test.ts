import { createSecretSealer } from '@svc/deployment-secrets/sealed';
import { waitFor } from '@svc/embedded-postgres/testing';
import { makeWorkerUtils } from 'graphile-worker';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDashboard, PASSWORD } from '../../test/harness/dashboard.ts';
import { createTestService, TEST_SECRET } from '../../test/harness/service.ts';
import { listPartitions } from '../audit-log/partitions.ts';
import { examineSecondFactors } from '../dashboard/auth/sealed-factors.ts';
import { inTransaction } from '../database/pool.ts';
import { createEndpoint, readEndpoint } from '../webhooks/endpoints.ts';
import { type Jobs, SCHEDULE, startJobs } from './jobs.ts';

const service = await createTestService();
const {
  pool,
  database: { url },
} = service;
pool.on('connect', (client) => client.on('error', () => undefined));

/**
 * Adds a job that is due now, for one of the running nodes. It first waits until one listens: a node finds what was added
 * between its first look and that only when it polls.
 */
async function runJob(task: string): Promise<void> {
  await waitFor(async () => {
    const listening = await pool.query(
      `select from pg_stat_activity
       where datname = current_database() and state = 'idle' and starts_with(query, 'LISTEN "jobs:insert"')`,
    );
    expect(listening.rowCount).toBeGreaterThan(0);
  });
  const utils = await makeWorkerUtils({ pgPool: pool });
  await utils.addJob(task, {}, { jobKey: 'once' });
  await utils.release();
}

const NEWER_SECRET = 'a newer secret of the tests, 32 characters or more';
const OPTIONS = {
  databaseUrl: url,
  logRetentionDays: 36_500,
  changeRetentionDays: 36_500,
  secrets: [NEWER_SECRET, TEST_SECRET],
  announce: () => undefined,
  log: pino({ level: 'silent' }),
};

test('a job runs once, on one of several nodes, by the clock of the database; all nodes stop at once', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const last = (await listPartitions(pool)).at(-1)?.name ?? '';
  await pool.query(`drop table ${last}`);
  const nodes: Jobs[] = ['2040-05-10T00:00:00Z', '2020-05-10T00:00:00Z'].map((time) =>
    startJobs({
      databaseUrl: url,
      logRetentionDays: 36_500,
      changeRetentionDays: 36_500,
      announce: () => undefined,
      secrets: [TEST_SECRET],
      log,
      clock: () => Date.parse(time),
    }),
  );
  onTestFinished(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
  });
  await runJob('maintain_audit_log');
  await waitFor(async () => {
    expect((await listPartitions(pool)).map(({ name }) => name)).toContain(last);
  });
  expect(lines.filter((line) => line.includes('created the audit log'))).toEqual([
    expect.stringContaining(`created the audit log's partitions ${last}"`),
  ]);
});

test('a job seals second factors with the new secret that a node has sealed with the old one', async () => {
  const owner = await createTestDashboard(service).owner();
  await owner.send('POST', '/auth/two-factor/enable', { password: PASSWORD });
  expect(await examineSecondFactors(pool, [NEWER_SECRET])).toEqual({ old: 0, lost: [owner.email] });
  const jobs = startJobs(OPTIONS);
  onTestFinished(() => jobs.stop());
  await runJob('reseal_secrets');
  await waitFor(async () => {
    expect(await examineSecondFactors(pool, [NEWER_SECRET])).toEqual({ old: 0, lost: [] });
  });
});

test('what a node whose clock was ahead has scheduled for later runs when a node starts', async () => {
  const last = (await listPartitions(pool)).at(-1)?.name ?? '';
  await pool.query(`drop table ${last}`);
  const utils = await makeWorkerUtils({ pgPool: pool });
  await utils.migrate();
  const runAt = new Date(Date.now() + 2 * 365 * 24 * 60 * 60 * 1000);
  await utils.addJob('maintain_audit_log', {}, { runAt, jobKey: 'maintain_audit_log' });
  await utils.release();
  await pool.query(
    `insert into graphile_worker._private_known_crontabs (identifier, known_since, last_execution)
     values ('delete_expired', now(), $1)
     on conflict (identifier) do update set last_execution = excluded.last_execution`,
    [runAt],
  );
  const jobs = startJobs(OPTIONS);
  onTestFinished(() => jobs.stop());
  await waitFor(async () => {
    expect((await listPartitions(pool)).map(({ name }) => name)).toContain(last);
  });
  const ahead = `select from graphile_worker._private_known_crontabs where last_execution > now()`;
  expect((await pool.query(ahead)).rowCount).toBe(0);
});

test('a run of a job replaces the earlier one that is still to be tried again', async () => {
  const utils = await makeWorkerUtils({ pgPool: pool });
  await utils.migrate();
  const waiting = async () =>
    (await pool.query<{ task: string }>('select task_identifier as task from graphile_worker.jobs')).rows;
  for (const { task, options } of [...SCHEDULE, ...SCHEDULE]) {
    expect(options.jobKey).toBe(task);
    await utils.addJob(task, {}, options);
  }
  const tasks = (await waiting()).map(({ task }) => task);
  expect(tasks.toSorted()).toEqual(SCHEDULE.map(({ task }) => task).toSorted());
  await utils.completeJobs(
    (await pool.query('select id from graphile_worker.jobs')).rows.map(({ id }) => id),
  );
  await utils.release();
});

/** A webhook endpoint whose secret is sealed with TEST_SECRET. */
async function webhookEndpoint() {
  const workspaceId = await service.workspace();
  const settings = { url: '', description: '', types: null, companyId: null, ordered: true };
  const created = await inTransaction(pool, (client) =>
    createEndpoint(client, createSecretSealer([TEST_SECRET]), workspaceId, settings, 'chg_1'),
  );
  return { workspaceId, created };
}

test('webhooks get the new secret although second factors fail, and the metric shows the failure', async () => {
  const registry = new Registry();
  const owner = await createTestDashboard(service).owner();
  await owner.send('POST', '/auth/two-factor/enable', { password: PASSWORD });
  const { workspaceId, created } = await webhookEndpoint();
  await pool.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger refuse before update on second_factors for each row execute function refuse()`);
  const jobs = startJobs({ ...OPTIONS, registry });
  onTestFinished(async () => {
    await jobs.stop();
    await pool.query('drop trigger refuse on second_factors; drop function refuse');
  });
  await runJob('reseal_secrets');
  await waitFor(async () => {
    const failed = 'svc_job_runs_total{task="reseal_secrets",outcome="failed"} ';
    expect(await registry.metrics()).toMatch(new RegExp(`^${failed.replaceAll('{', '\\{')}[1-9]`, 'm'));
  });
  const endpoint = await readEndpoint(
    pool,
    createSecretSealer([NEWER_SECRET]),
    workspaceId,
    created?.id ?? '',
  );
  expect(endpoint?.secrets).toEqual([created?.secret]);
});

test('a job seals the secrets of webhooks with the new secret', async () => {
  const { workspaceId, created } = await webhookEndpoint();
  const jobs = startJobs(OPTIONS);
  onTestFinished(() => jobs.stop());
  await runJob('reseal_secrets');
  const sealer = createSecretSealer([NEWER_SECRET]);
  await waitFor(async () => {
    const endpoint = await readEndpoint(pool, sealer, workspaceId, created?.id ?? '');
    expect(endpoint?.secrets).toEqual([created?.secret]);
  });
});

test('a job whose end cannot be written does not end the process; later jobs run', async () => {
  const lines: string[] = [];
  const working = await pool.connect();
  const ending = await pool.connect();
  const jobs = startJobs({
    databaseUrl: url,
    logRetentionDays: 36_500,
    changeRetentionDays: 36_500,
    secrets: [TEST_SECRET],
    announce: () => undefined,
    log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
  });
  onTestFinished(() => jobs.stop());
  /** The connection whose statement starts with `start` and waits for a lock. */
  const waiterFor = async (start: string): Promise<number | undefined> => {
    const { rows } = await pool.query<{ pid: number }>(
      `select pid from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and starts_with(query, $1)`,
      [start],
    );
    return rows[0]?.pid;
  };
  const END_OF_JOB = 'delete from "graphile_worker"._private_jobs';
  try {
    await working.query('begin; lock table second_factors in access exclusive mode');
    await runJob('reseal_secrets');
    await waitFor(async () => expect(await waiterFor('select')).toBeDefined());
    await ending.query('begin; lock table graphile_worker._private_jobs in share mode');
    await working.query('commit');
    await waitFor(async () => expect(await waiterFor(END_OF_JOB)).toBeDefined());
    await pool.query('select pg_terminate_backend($1)', [await waiterFor(END_OF_JOB)]);
    await waitFor(() => expect(lines.join()).toContain('Failed to complete jobs'));
  } finally {
    for (const client of [working, ending]) client.release(true);
  }
  const last = (await listPartitions(pool)).at(-1)?.name ?? '';
  await pool.query(`drop table ${last}`);
  await runJob('maintain_audit_log');
  await waitFor(async () => {
    expect((await listPartitions(pool)).map(({ name }) => name)).toContain(last);
  });
});
