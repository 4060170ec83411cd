import { open, rename, stat } from 'node:fs/promises';
import type { Layout } from '../directory/data-directory.ts';
import { EmbeddedError, errorCode } from '../errors.ts';

const BYTES_PER_MIB = 1024 * 1024;
const LARGEST_LOG_BYTES = 8 * BYTES_PER_MIB;
/** How much of the end is shown when a start fails. */
const TAIL_BYTES = 4 * 1024;
const TAIL_LINES = 12;

/** Puts a large log aside before a start, in place of the one before it. Resolves with the size that is left. */
export async function boundServerLog(path: string): Promise<number> {
  const size = await stat(path).then(
    (found) => found.size,
    (error: unknown) => {
      if (errorCode(error) === 'ENOENT') return 0;
      throw error;
    },
  );
  if (size <= LARGEST_LOG_BYTES) return size;
  await rename(path, `${path}.old`);
  return 0;
}

/** The last lines that the server wrote after this offset. */
export async function serverLogSince(path: string, offset: number): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const start = Math.max(offset, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(Math.max(size - start, 0)),
      position: start,
    });
    return buffer.toString('utf8', 0, bytesRead).trim().split('\n').slice(-TAIL_LINES).join('\n');
  } finally {
    await file.close();
  }
}

/** What PostgreSQL's own words mean for the operator; the first that fits. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [
    /No space left on device|Disk quota exceeded/,
    'The disk is full: make room and start again, nothing is lost.',
  ],
  [/Read-only file system/, 'The file system is read-only: mount it for writing.'],
  [/invalid permissions/, 'The directory must be accessible to its owner alone: chmod -R go= on it.'],
  [
    /Permission denied/,
    'Its user may not use a file: give the directory back to the owner of its parent with chown -R.',
  ],
  [/could not map anonymous shared memory|Cannot allocate memory/, 'There is not enough memory.'],
  [
    /could not locate a valid checkpoint record|invalid checkpoint record/,
    'The database is damaged: restore a backup.',
  ],
];

/** Sessions of a postmaster that was killed end a moment after it; until then a new one must not start. */
const OLD_SESSIONS = /pre-existing shared memory block/;

/** Another start was faster, by so little that its server was not to be seen yet. */
const FASTER_START = /lock file "postmaster\.pid" already exists/;

/** Whether the same start may succeed in a moment. */
export function passesByItself(output: string): boolean {
  return OLD_SESSIONS.test(output) || FASTER_START.test(output);
}

/** The error for a server that ended while it started: how it ended, its last words and what they mean. */
export function startFailure(layout: Layout, outcome: string, output: string): EmbeddedError {
  const meaning = MEANINGS.find(([pattern]) => pattern.test(output))?.[1];
  return new EmbeddedError(
    [
      `the PostgreSQL of ${layout.pgdata} did not start (${outcome}).`,
      ...(meaning === undefined ? [] : [meaning]),
      `The end of its log ${layout.logFile}:\n${output}`,
    ].join(' '),
  );
}
