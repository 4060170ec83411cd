import { open, rename, stat } from 'node:fs/promises';
import type { Layout } from '../directory/data-directory.ts';
import { EmbeddedError, hasCode } from '../errors.ts';

const BYTES_PER_MIB = 1024 * 1024;
const LARGEST_LOG_BYTES = 8 * BYTES_PER_MIB;
/** How much of the end of the log a failed start shows. */
const TAIL_BYTES = 4 * 1024;
const TAIL_LINES = 12;

/** Renames a large log to `.old` before a start. Resolves to the size of the log that the server appends to. */
export async function boundServerLog(path: string): Promise<number> {
  const size = await stat(path).then(
    (found) => found.size,
    (error: unknown) => {
      if (hasCode(error, 'ENOENT')) return 0;
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

/** What PostgreSQL's messages mean for the operator. The first match counts. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/No space left on device|Disk quota exceeded/, 'The disk is full: make room; nothing is lost.'],
  [/Read-only file system/, 'The file system is read-only: mount it for writing.'],
  [/invalid permissions/, 'Only the owner of the directory may have access to it: run chmod -R go= on it.'],
  [/Permission denied/, 'Its user cannot use a file: give the directory back to its owner with chown -R.'],
  [/could not map anonymous shared memory|Cannot allocate memory/, 'There is not enough memory.'],
  [
    /could not locate a valid checkpoint record|invalid checkpoint record/,
    'The database is damaged: restore a backup.',
  ],
];

/** The sessions of a killed server end shortly after it. Until then no other server must start. */
const OLD_SESSIONS = /pre-existing shared memory block/;

/** Another start was faster, and its server does not answer yet. */
const FASTER_START = /lock file "postmaster\.pid" already exists/;

/** Whether the same start may succeed a moment later. */
export function passesByItself(output: string): boolean {
  return OLD_SESSIONS.test(output) || FASTER_START.test(output);
}

/** The error for a server that ended while it started: how it ended, what that means, and the end of its log. */
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
