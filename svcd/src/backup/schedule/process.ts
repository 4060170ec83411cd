import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { OperatorError } from '@svc/service/config/errors';
import { HOUR_MS } from '@svc/service/config/time';

const PROGRAM = join(import.meta.dirname, `../../svcd${extname(import.meta.filename)}`);
/** How long a process that gets SIGTERM may take to remove its file. */
const END_MS = 3_000;
/** How long a process that gets SIGKILL may take to end. It ends later if it waits for a disk that does not respond. */
const KILLED_MS = 1_000;
/** The most characters of its messages that are kept. */
const MESSAGE_MAX = 2_000;

/** What the process of a backup tells the service while it runs. */
export interface BackupNews {
  /** When the newest complete backup was begun. Undefined if there is none. */
  readonly newestMs?: number;
}

/** A text that ends as a sentence. */
export const sentence = (text: string): string => `${text.replace(/\.$/, '')}.`;

interface BackupRun {
  /** Ends the process. */
  readonly signal: AbortSignal;
  /** The process is ended after this time. */
  readonly limitMs: number;
  readonly tell: (news: BackupNews) => void;
}

/**
 * Returns a function that makes the scheduled backup if it is due, in a process of its own, which ends with this one. That
 * process also reads the directory: a disk that does not respond then holds only the process, which this one can leave.
 * The function resolves with the messages of the process, or throws OperatorError with them. It throws too if the process
 * cannot be ended in time, and then starts no other one while it runs.
 */
export function backupProcess(): (run: BackupRun) => Promise<string> {
  let running = false;
  return async ({ signal, limitMs, tell }) => {
    if (running) throw new OperatorError('the process of an earlier one still runs, and could not be ended');
    const child = spawn(process.execPath, [...process.execArgv, PROGRAM, 'backup', '--scheduled'], {
      env: { ...process.env, SVC_LOG_LEVEL: 'fatal' },
      // The channel tells the process that this one was killed.
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    running = true;
    let text = '';
    child.stderr?.setEncoding('utf8').on('data', (part: string) => {
      text = `${text}${part}`.slice(-MESSAGE_MAX);
    });
    child.on('message', (news) => tell(news as BackupNews));
    const closed = once(child, 'close').finally(() => {
      running = false;
    });
    const limit = AbortSignal.timeout(limitMs);
    const done = new AbortController();
    const until = { signal: done.signal };
    const killed = once(AbortSignal.any([signal, limit]), 'abort', until).then(async () => {
      child.kill('SIGTERM');
      await delay(END_MS, undefined, until);
      child.kill('SIGKILL');
      await delay(KILLED_MS, undefined, until);
      throw new OperatorError('its process could not be ended');
    });
    try {
      const [code, endedBy] = (await Promise.race([closed, killed])) as [number | null, string | null];
      const message = text
        .trim()
        .replace(/^svcd: /, '')
        .replaceAll('\n', '; ');
      if (code === 0) return message;
      if (limit.aborted)
        throw new OperatorError(
          `it was not complete after ${Math.round(limitMs / HOUR_MS)} hours, and was ended`,
        );
      throw new OperatorError(
        message === '' ? `its process ended with ${endedBy ?? `code ${code}`}` : message,
      );
    } finally {
      done.abort();
    }
  };
}
