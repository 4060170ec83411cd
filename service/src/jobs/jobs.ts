import { setTimeout as delay } from 'node:timers/promises';
import { createSecretSealer } from '@svc/deployment-secrets/sealed';
import { measureJobs } from '@svc/telemetry/metrics';
import { createAttempts } from '@svc/turns/attempts';
import {
  Logger as JobLogger,
  parseCronItems,
  type Runner,
  run,
  runMigrations,
  type Task,
} from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { deleteExpiredChanges } from '../changes/expired.ts';
import { counted } from '../config/plural.ts';
import { type Clock, systemClock } from '../config/time.ts';
import { resealSecondFactors } from '../dashboard/auth/sealed-factors.ts';
import { createPool } from '../database/pool.ts';
import { statement } from '../database/statement.ts';
import { resealEndpointSecrets } from '../webhooks/reseal.ts';
import { maintainAuditLog } from './audit-log-partitions.ts';
import { deleteExpired } from './expired.ts';
import { removeDeletedWorkspaces } from './remove-workspaces.ts';
import { keepIndexing } from './word-index.ts';
import { keepPublishing } from './workspace-events.ts';

export interface JobOptions {
  readonly databaseUrl: string;
  readonly logRetentionDays: number;
  readonly changeRetentionDays: number;
  /** The first secret seals second factors and the secrets of webhooks. All secrets open them. */
  readonly secrets: readonly string[];
  readonly log: Logger;
  /** Is told the workspaces that have new changes. */
  readonly announce: (workspaceIds: readonly string[]) => unknown;
  /** Gets the metrics of the jobs. */
  readonly registry?: Registry;
  readonly clock?: Clock;
}

export interface Jobs {
  /** Finishes the running job, then closes the database connections. */
  readonly stop: () => Promise<void>;
}

/** The database connections: one for LISTEN, one for the schedule, one for the job itself, one for events and words. */
export const JOB_CONNECTIONS = 4;
/** NOTIFY announces jobs. Polling finds jobs whose announcement was lost. */
const POLL_INTERVAL_MS = 60_000;
const RESTART_PAUSE_MS = 5_000;
/**
 * How long the end of a job waits for others, so that they are written together. Only with such a delay does the library
 * handle a failed write of the end, and wait for the write when it stops. Without one, the failure ends the process.
 */
const END_OF_JOB_DELAY_MS = 0;
/** After this time, a job that a backup was in the way of is tried again. */
const POSTPONED_MS = 10 * 60 * 1000;

/** When each job runs: every hour, so that none waits for a time at which no node runs. */
const TIMES: Readonly<Record<string, string>> = {
  maintain_audit_log: '35 * * * *',
  delete_expired: '45 * * * *',
  remove_deleted_workspaces: '25 * * * *',
  delete_expired_changes: '5 * * * *',
  // Repeated, because during a rotation nodes with the old order of secrets still seal with the old secret.
  reseal_secrets: '15 * * * *',
};
/**
 * Nodes share the schedule: a job runs once, on one of them. With its key, the next run replaces one that is tried again
 * after a failure. Otherwise a job that fails for days would have hundreds of them, which delay the other jobs.
 */
export const SCHEDULE = parseCronItems(
  Object.entries(TIMES).map(([task, match]) => ({
    task,
    identifier: task,
    match,
    options: { jobKey: task },
  })),
);

/** The library schedules by the clock of a node. What one that was ahead has left would keep jobs waiting until then. */
const correctSchedule = statement(
  'correct_schedule',
  'background: reads the jobs that wait, when a node starts',
)`
  with corrected as (update graphile_worker._private_known_crontabs set last_execution = now()
    where last_execution > now() + interval '1 day')
  update graphile_worker._private_jobs set run_at = now()
  where key = any($1) and run_at > now() + interval '1 day'`;

const tasks = (
  pool: pg.Pool,
  signal: AbortSignal,
  { clock = systemClock, logRetentionDays, changeRetentionDays, secrets, log }: JobOptions,
): Record<string, Task> => ({
  maintain_audit_log: async (_, { addJob }) => {
    const postponed = await maintainAuditLog({
      pool,
      nodeNowMs: clock(),
      retentionDays: logRetentionDays,
      log,
    });
    if (!postponed) return;
    log.info('months of the audit log are dropped after the backup that runs now');
    const runAt = new Date(Date.now() + POSTPONED_MS);
    await addJob('maintain_audit_log', {}, { runAt, jobKey: 'maintain_audit_log_postponed' });
  },
  delete_expired: () => deleteExpired({ pool, log, signal }),
  remove_deleted_workspaces: async () => {
    const removed = await removeDeletedWorkspaces(pool, clock(), signal);
    if (removed.length > 0) log.info({ workspaces: removed }, 'removed the data of deleted workspaces');
  },
  delete_expired_changes: async () => {
    const expiry = { retentionDays: changeRetentionDays, nodeNowMs: clock(), signal };
    const deleted = await deleteExpiredChanges(pool, expiry);
    if (deleted > 0)
      log.info(`removed changes older than ${counted(changeRetentionDays, 'day', 'days')}: ${deleted}`);
  },
  reseal_secrets: async () => {
    const attempts = createAttempts();
    const factors = () => resealSecondFactors(pool, secrets, signal);
    const resealed = (await attempts.of('second factors', factors)) ?? 0;
    if (resealed > 0) log.info(`sealed second factors with the first secret: ${resealed}`);
    const secretsOfEndpoints = () => resealEndpointSecrets(pool, createSecretSealer(secrets), signal);
    const endpoints = (await attempts.of('secrets of webhooks', secretsOfEndpoints)) ?? 0;
    if (endpoints > 0) log.info(`sealed secrets of webhooks with the first secret: ${endpoints}`);
    attempts.end();
  },
});

/** Runs the scheduled jobs until `stop`. Retries while the database is not available. */
export function startJobs(options: JobOptions): Jobs {
  const { log } = options;
  const pool = createPool({
    url: options.databaseUrl,
    max: JOB_CONNECTIONS,
    name: 'svcd jobs',
    onError: (error) => log.debug({ err: error }, 'a database connection of the jobs broke'),
  });
  const ending = new AbortController();
  const taskList = measureJobs(options.registry ?? new Registry(), tasks(pool, ending.signal, options));
  let runner: Runner | undefined;
  const keepRunning = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      try {
        await runMigrations({ pgPool: pool, logger: jobLogger(log) });
        await pool.query(correctSchedule(Object.keys(TIMES)));
        runner = await run({
          pgPool: pool,
          taskList,
          parsedCronItems: SCHEDULE,
          concurrency: 1,
          pollInterval: POLL_INTERVAL_MS,
          noHandleSignals: true,
          logger: jobLogger(log),
          preset: {
            worker: { completeJobBatchDelay: END_OF_JOB_DELAY_MS, failJobBatchDelay: END_OF_JOB_DELAY_MS },
          },
        });
        if (ending.signal.aborted) await runner.stop();
        await runner.promise;
      } catch (error) {
        log.warn({ err: error }, 'the scheduled jobs cannot run now; trying again');
      }
      await delay(RESTART_PAUSE_MS, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  };
  const done = Promise.all([
    keepRunning(),
    keepPublishing(pool, log, options.announce, ending.signal),
    keepIndexing(pool, log, ending.signal),
  ]);
  return {
    async stop() {
      ending.abort();
      await runner?.stop().catch(() => undefined);
      await done;
      await pool.end();
    },
  };
}

/** Logs messages of the library at level debug: the jobs log their results themselves. */
function jobLogger(log: Logger): JobLogger {
  return new JobLogger(() => (level, message, meta) => {
    if (level === 'error') log.warn({ ...meta }, `jobs: ${message}`);
    else log.debug(`jobs: ${message}`);
  });
}
