import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { BackupSettings } from '@svc/service/config/config';
import { errorMessage, OperatorError } from '@svc/service/config/errors';
import { type BackupMetrics, measureBackups } from '@svc/telemetry/backups';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { dueInMs, listBackups, newestTime } from './files.ts';

const PROGRAM = join(import.meta.dirname, `../../svcd${extname(import.meta.filename)}`);
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const FIRST_RETRY_MS = 5 * SECOND_MS;
const LAST_RETRY_MS = 60 * MINUTE_MS;
/** How often the directory is read: another node may use it too. */
const LOOK_AGAIN_MS = 10 * MINUTE_MS;
/** The pause while another node makes the backup. */
const OTHER_NODE_MS = MINUTE_MS;
/** How long a backup that gets SIGTERM may take to remove its file. */
const END_MS = 3 * SECOND_MS;
/** The most characters of its messages that are kept. */
const MESSAGE_MAX = 2_000;

export interface BackupSchedule {
  /** Ends the running backup, and begins no other one. */
  readonly stop: () => Promise<void>;
}

interface ScheduleOptions {
  readonly settings: BackupSettings;
  readonly log: Logger;
  readonly registry: Registry;
}

/**
 * Makes the backups of the settings until `stop`, each in a process of its own, which ends with this one. The next one is
 * due by the newest file in the directory, so a restart neither repeats nor skips one. After a failure, it logs a warning,
 * and tries again: after 5 s, then after twice the time, at most an hour.
 */
export function scheduleBackups({ settings, log, registry }: ScheduleOptions): BackupSchedule {
  const ending = new AbortController();
  const metrics = measureBackups(registry, settings.everyMs / SECOND_MS);
  const done = repeat(settings, { log, metrics, signal: ending.signal });
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
  }: { readonly log: Logger; readonly metrics: BackupMetrics; readonly signal: AbortSignal },
): Promise<void> {
  let failures = 0;
  const look = async (): Promise<number> => {
    const nowMs = Date.now();
    const newestMs = newestTime(await listBackups(settings.directory), nowMs);
    metrics.succeeded((newestMs ?? 0) / SECOND_MS);
    return dueInMs(newestMs, settings.everyMs, nowMs);
  };
  while (!signal.aborted) {
    let pauseMs: number;
    try {
      let dueMs = await look();
      if (dueMs <= 0) {
        const message = await backUp(signal);
        if (message !== '') log.info(`scheduled backup: ${message}`);
        dueMs = await look();
        if (dueMs <= 0) log.debug('another node makes the scheduled backup');
      }
      failures = 0;
      pauseMs = dueMs <= 0 ? OTHER_NODE_MS : Math.min(dueMs, LOOK_AGAIN_MS);
    } catch (error) {
      if (signal.aborted) return;
      metrics.failed();
      pauseMs = retryPauseMs(failures++);
      const reason = errorMessage(error);
      const again = `It is tried again in ${Math.round(pauseMs / SECOND_MS)} s.`;
      log.warn(`the scheduled backup failed: ${reason.replace(/\.$/, '')}. ${remedyOf(reason)} ${again}`);
    }
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

/** The pause after a failure, by the failures before it. */
export const retryPauseMs = (before: number): number => Math.min(FIRST_RETRY_MS * 2 ** before, LAST_RETRY_MS);

function remedyOf(reason: string): string {
  if (/\b(?:ENOSPC|EDQUOT)\b/.test(reason))
    return 'Free space on the disk of SVC_BACKUP_DIR, or lower SVC_BACKUP_KEEP.';
  if (/\b(?:ENOENT|ENOTDIR|EACCES|EPERM|EROFS)\b/.test(reason))
    return 'SVC_BACKUP_DIR must be a directory that exists and that the user of the service can write to.';
  return 'svcd doctor checks the database and the directory.';
}

/** Runs one backup in a process of its own. Resolves with its messages, or throws OperatorError with them. */
async function backUp(signal: AbortSignal): Promise<string> {
  const child = spawn(process.execPath, [...process.execArgv, PROGRAM, 'backup', '--scheduled'], {
    env: { ...process.env, SVC_LOG_LEVEL: 'fatal' },
    // The channel tells the process that this one was killed.
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    text = `${text}${part}`.slice(-MESSAGE_MAX);
  });
  const kill = (): void => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
    child.once('exit', () => clearTimeout(timer));
  };
  signal.addEventListener('abort', kill, { once: true });
  try {
    const [code, endedBy] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    const message = text
      .trim()
      .replace(/^svcd: /, '')
      .replaceAll('\n', '; ');
    if (code === 0) return message;
    throw new OperatorError(message === '' ? `its process ended with ${endedBy ?? `code ${code}`}` : message);
  } finally {
    signal.removeEventListener('abort', kill);
  }
}
