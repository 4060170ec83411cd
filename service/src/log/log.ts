import { isatty } from 'node:tty';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config/config.ts';
import { prettyLine } from './pretty.ts';
import { redactFields, redactText } from './redact.ts';

export const STANDARD_OUTPUT = 1;
export const STANDARD_ERROR = 2;

/** Characters that wait for an output that takes none, such as a file on a full disk; lines beyond are dropped. */
const WAITING_MAX_CHARACTERS = 1024 * 1024;

/**
 * A log to a file descriptor: JSON lines, or lines for people when it is a terminal. Secrets are removed on the way,
 * whatever was passed. Lines are written at once, so nothing is lost with the process. An output that is gone or full
 * loses lines, and nothing else happens.
 */
export function createLog(level: Config['logLevel'], fd: number): Logger {
  const raw = pino.destination({ dest: fd, sync: true, maxLength: WAITING_MAX_CHARACTERS });
  raw.on('error', () => undefined);
  return createLogTo(isatty(fd) ? forPeople(raw, level) : raw, level);
}

/** The same to any stream. */
export function createLogTo(stream: DestinationStream, level: Config['logLevel']): Logger {
  return pino(
    {
      level,
      // Not `pid`: that is the name of what a line tells of, such as the database server's.
      base: { process: process.pid },
      formatters: { log: (fields) => redactFields(fields) as Record<string, unknown> },
      hooks: { streamWrite: redactText },
    },
    stream,
  );
}

function forPeople(stream: DestinationStream, level: Config['logLevel']): DestinationStream {
  const showStacks = level === 'debug' || level === 'trace';
  return { write: (line) => stream.write(prettyLine(line, showStacks)) };
}
