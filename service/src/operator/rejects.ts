import { type BigIntStats, constants, fstatSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { RefusedRecord } from '../bulk/batches.ts';
import { errorMessage } from '../config/error-message.ts';
import { OperatorError } from '../config/operator-error.ts';
import { terminalLine } from '../log/terminal-text.ts';
import { say } from './output.ts';

/** Where refused lines go. */
export interface Rejects {
  readonly write: (refused: readonly RefusedRecord[]) => Promise<void>;
  readonly end: () => Promise<void>;
}

/** Lines that are told on standard error when there is no file for them. */
const TOLD_LINES = 20;

/**
 * To the file, which is overwritten, else the first ones to standard error. Throws OperatorError when the file is the one
 * that is read, by whichever name: then nothing is overwritten.
 */
export async function openRejects(file: string | undefined, inputFd: number): Promise<Rejects> {
  return file === undefined ? tell() : writeTo(file, inputFd);
}

function tell(): Rejects {
  let told = 0;
  let untold = 0;
  return {
    write: async (refused) => {
      const shown = refused.slice(0, Math.max(0, TOLD_LINES - told));
      for (const { line, failures } of shown) {
        const told = failures.map(({ field, reason }) => `${field} ${reason}`.trim()).join('; ');
        say(`line ${line}: ${terminalLine(told)}`);
      }
      told += shown.length;
      untold += refused.length - shown.length;
    },
    end: async () => {
      if (untold > 0) say(`… and ${untold} more: --rejects FILE writes all of them.`);
    },
  };
}

/**
 * NDJSON of `{line, field, reason, text}`, one for each refused line: its first failure. `also` has its others, so that
 * all of a line can be mended at once.
 */
async function writeTo(file: string, inputFd: number): Promise<Rejects> {
  const writable = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw new OperatorError(`${file} cannot be written: ${errorMessage(error)}`);
    }
  };
  // Not truncated before it is known which file it is.
  const handle = await writable(open(file, constants.O_WRONLY | constants.O_CREAT));
  try {
    const stats = await handle.stat({ bigint: true });
    if (isSame(stats, fstatSync(inputFd, { bigint: true }))) {
      throw new OperatorError(
        `${file} is the file that is imported: refused lines need a file of their own.`,
      );
    }
    if (stats.isFile()) await writable(handle.truncate());
  } catch (error) {
    await handle.close();
    throw error;
  }
  return {
    write: (refused) => writable(handle.appendFile(refused.map(rejectLine).join(''))),
    end: () => writable(handle.close()),
  };
}

const isSame = (one: BigIntStats, other: BigIntStats): boolean =>
  one.isFile() && one.dev === other.dev && one.ino === other.ino;

function rejectLine({ line, text, failures: [first, ...also] }: RefusedRecord): string {
  const { field, reason } = first ?? { field: '', reason: '' };
  return `${JSON.stringify({ line, field, reason, text, ...(also.length > 0 ? { also } : {}) })}\n`;
}
