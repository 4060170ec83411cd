import { setTimeout as delay } from 'node:timers/promises';
import type { BackupSettings } from '@svc/service/config/config';
import { errorMessage } from '@svc/service/config/errors';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@svc/service/config/time';
import { type BackupMetrics, measureBackups } from '@svc/telemetry/backups';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { dueInMs } from './files.ts';
import { type BackupNews, backupProcess, sentence } from './process.ts';

const SECOND_MS = 1_000;
const FIRST_RETRY_MS = 5 * SECOND_MS;
const LAST_RETRY_MS = HOUR_MS;
/** How often the directory is read: another node may use it too. */
const LOOK_AGAIN_MS = HOUR_MS;
/** The pause while another node makes the backup. */
const OTHER_NODE_MS = MINUTE_MS;

export interface BackupSchedule {
  /** Ends the running backup, and begins no other one. Resolves within seconds, also if the backup cannot be ended. */
  readonly stop: () => Promise<void>;
}

interface ScheduleOptions {
  readonly settings: BackupSettings;
  readonly log: Logger;
  readonly registry: Registry;
  /** How long a backup may take. Default: a day, or until the next one is due, if that is later. */
  readonly limitMs?: number;
}

/**
 * Makes the backups of the settings until `stop`, each in a process of its own, which ends with this one. The next one is
 * due by the newest file in the directory, so a restart neither repeats nor skips one. A backup that takes longer than
 * `limitMs` is ended, because it holds a snapshot and locks. After a failure, it logs a warning, and tries again: after 5 s,
 * then after twice the time, at most an hour.
 */
export function scheduleBackups({ settings, log, registry, limitMs }: ScheduleOptions): BackupSchedule {
  const ending = new AbortController();
  const metrics = measureBackups(registry, settings.everyMs / SECOND_MS);
  const done = repeat(settings, {
    log,
    metrics,
    signal: ending.signal,
    limitMs: limitMs ?? Math.max(settings.everyMs, DAY_MS),
  });
  return {
    stop: () => {
      ending.abort();
      return done;
    },
  };
}

async function repeat(
  settings: BackupSettings,
  {
    log,
    metrics,
    signal,
    limitMs,
  }: {
    readonly log: Logger;
    readonly metrics: BackupMetrics;
    readonly signal: AbortSignal;
    readonly limitMs: number;
  },
): Promise<void> {
  const run = backupProcess();
  let failures = 0;
  let newestMs: number | undefined;
  const tell = (news: BackupNews): void => {
    newestMs = news.newestMs;
    metrics.succeeded((newestMs ?? 0) / SECOND_MS);
  };
  while (!signal.aborted) {
    let pauseMs: number;
    try {
      const message = await run({ signal, limitMs, tell });
      if (message !== '') log.info(`scheduled backup: ${message}`);
      const dueMs = dueInMs(newestMs, settings.everyMs, Date.now());
      if (dueMs <= 0) log.debug('another node makes the scheduled backup');
      failures = 0;
      pauseMs = dueMs <= 0 ? OTHER_NODE_MS : Math.min(dueMs, LOOK_AGAIN_MS);
    } catch (error) {
      if (signal.aborted) return;
      metrics.failed();
      pauseMs = retryPauseMs(failures++);
      const again = `It is tried again in ${Math.round(pauseMs / SECOND_MS)} s.`;
      log.warn(`the scheduled backup failed: ${sentence(errorMessage(error))} ${again}`);
    }
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

/** The pause after a failure, by the failures before it. */
export const retryPauseMs = (before: number): number => Math.min(FIRST_RETRY_MS * 2 ** before, LAST_RETRY_MS);
