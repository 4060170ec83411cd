import { isatty } from 'node:tty';
import { type DestinationStream, type LevelWithSilent, type Logger, pino } from 'pino';
import { prettyLine } from './pretty.ts';
import { redactFields, redactText } from './redact.ts';

export const STANDARD_OUTPUT = 1;
export const STANDARD_ERROR = 2;

/** The most characters buffered for an output that cannot be written, such as a full disk. Further lines are dropped. */
const WAITING_MAX_CHARACTERS = 1024 * 1024;

/**
 * A log to a file descriptor: JSON lines, or lines for people if it is a terminal. Removes secrets from everything that is
 * logged. Writes each line at once, so that a crash loses none. If the output is closed or full, lines are lost and the
 * process continues.
 */
export function createLog(level: LevelWithSilent, fd: number): Logger {
  const raw = pino.destination({ dest: fd, sync: true, maxLength: WAITING_MAX_CHARACTERS });
  raw.on('error', () => undefined);
  return createLogTo(isatty(fd) ? forPeople(raw, level) : raw, level);
}

/** The same for any stream, always as JSON lines. */
export function createLogTo(stream: DestinationStream, level: LevelWithSilent): Logger {
  return pino(
    {
      level,
      // Not `pid`: lines use this name for other processes, such as the database server.
      base: { process: process.pid },
      formatters: { log: (fields) => redactFields(fields) as Record<string, unknown> },
      hooks: { streamWrite: redactText },
    },
    stream,
  );
}

function forPeople(stream: DestinationStream, level: LevelWithSilent): DestinationStream {
  const showStacks = level === 'debug' || level === 'trace';
  return { write: (line) => stream.write(prettyLine(line, showStacks)) };
}
