import { isatty } from 'node:tty';
import { styleText } from 'node:util';
import { type DestinationStream, type LevelWithSilent, type Logger, pino } from 'pino';
import { redactFields, redactText } from './redact.ts';
import { countRepeated } from './repeated.ts';
import { terminalLine, terminalText } from './terminal-text.ts';

export const STANDARD_OUTPUT = 1;
export const STANDARD_ERROR = 2;

/** The most characters buffered for an output that cannot be written, such as a full disk. Further lines are dropped. */
const WAITING_MAX_CHARACTERS = 1024 * 1024;
/** Buffered lines are written again this long after the reader of a pipe was too slow. */
const RETRY_MS = 100;

/** At the end of the process, and after a fatal error, the process waits so long for the reader of a pipe. */
const LAST_LINES_MS = 1_000;

/**
 * A log to a file descriptor: JSON lines, or lines for people if it is a terminal. Removes secrets from everything that is
 * logged. Writes each line at once, so that a crash loses none. If the output is closed or full, lines are lost and the
 * process continues. If the reader of a pipe is slow, lines wait for it, and the process does not until its end.
 */
export function createLog(level: LevelWithSilent, fd: number): Logger {
  let patientUntilMs = 0;
  const raw = pino.destination({
    dest: fd,
    sync: true,
    maxLength: WAITING_MAX_CHARACTERS,
    // By default, it sleeps until the pipe has room.
    retryEAGAIN: () => performance.now() < patientUntilMs,
  });
  let waiting = false;
  raw.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EAGAIN' || waiting) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      raw.write('');
    }, RETRY_MS).unref();
  });
  const flush = raw.flushSync.bind(raw);
  raw.flushSync = () => {
    patientUntilMs = performance.now() + LAST_LINES_MS;
    try {
      flush();
    } catch {
      // The lines are lost.
    }
    patientUntilMs = 0;
  };
  process.once('exit', () => raw.flushSync());
  return createLogTo(isatty(fd) ? forPeople(raw, level) : raw, level);
}

/** Like `createLog`, but to any stream, and always as JSON lines. */
export function createLogTo(stream: DestinationStream, level: LevelWithSilent): Logger {
  return pino(
    {
      level,
      // Not `pid`: lines use this name for other processes, such as the database server.
      base: { process: process.pid },
      formatters: { log: (fields) => redactFields(fields) as Record<string, unknown> },
      hooks: { logMethod: countRepeated(), streamWrite: redactText },
    },
    stream,
  );
}

function forPeople(stream: DestinationStream, level: LevelWithSilent): DestinationStream {
  const showStacks = level === 'debug' || level === 'trace';
  return { write: (line) => stream.write(prettyLine(line, showStacks)) };
}

const LEVELS: Readonly<Record<number, string>> = {
  20: 'debug',
  30: '',
  40: styleText('yellow', 'warning'),
  50: styleText('red', 'error'),
  60: styleText('red', 'fatal'),
};
const LEVEL_DEBUG = 20;
/** Lines of this level are shown without fields, because the message has all information. */
const LEVEL_INFO = 30;
/** Fields that are shown only at level debug. */
const DEBUG_FIELDS = new Set(['level', 'time', 'process', 'pid', 'hostname', 'msg', 'err', 'ms']);

/** A log line for people: `12:30:05 warning message name=value`, with the stack of an error if `showStacks` is true. */
export function prettyLine(line: string, showStacks: boolean): string {
  const { time, level, msg, err, ...fields } = JSON.parse(line) as {
    readonly time: number;
    readonly level: number;
    readonly msg?: string;
    readonly err?: { readonly message?: string; readonly stack?: string };
  };
  const extra = Object.entries(fields)
    .filter(([name]) => level !== LEVEL_INFO && (!DEBUG_FIELDS.has(name) || level <= LEVEL_DEBUG))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const parts = [
    styleText('dim', new Date(time).toTimeString().slice(0, 8)),
    LEVELS[level] ?? '',
    terminalLine(msg ?? ''),
    err === undefined ? '' : terminalLine(`(${err.message})`),
    styleText('dim', terminalLine(extra.join(' '))),
  ];
  const text = parts.filter((part) => part !== '').join(' ');
  return showStacks && err?.stack !== undefined ? `${text}\n${terminalText(err.stack)}\n` : `${text}\n`;
}
