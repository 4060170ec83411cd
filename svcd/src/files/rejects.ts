import { type BigIntStats, constants, fstatSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { RefusedRecord } from '@svc/service/bulk/batches';
import { errorMessage, OperatorError } from '@svc/service/config/errors';
import { counted } from '@svc/service/config/plural';
import { terminalLine } from '@svc/telemetry/log/terminal-text';
import { say } from '../output.ts';

/** The destination of refused lines. */
export interface Rejects {
  readonly write: (refused: readonly RefusedRecord[]) => Promise<void>;
  readonly end: () => Promise<void>;
}

/** The most refused lines that are printed to standard error. */
const PRINTED_LINES = 20;

/**
 * Overwrites the file with the refused lines. Without a file, prints the first refused lines to standard error. Throws
 * OperatorError, and overwrites nothing, if the file is the imported file, even under another name.
 */
export async function openRejects(file: string | undefined, inputFd: number): Promise<Rejects> {
  return file === undefined ? printRejects() : writeRejects(file, inputFd);
}

function printRejects(): Rejects {
  let printed = 0;
  let more = 0;
  return {
    write: async (refused) => {
      const shown = refused.slice(0, Math.max(0, PRINTED_LINES - printed));
      for (const { line, failures } of shown) {
        const reasons = failures.map(({ field, reason }) => `${field} ${reason}`.trim()).join('; ');
        say(`line ${line}: ${terminalLine(reasons)}`);
      }
      printed += shown.length;
      more += refused.length - shown.length;
    },
    end: async () => {
      if (more > 0)
        say(
          `… and ${counted(more, 'more line', 'more lines')}. --rejects FILE writes all of them to a file.`,
        );
    },
  };
}

/**
 * Writes NDJSON, one `{line, field, reason, text}` per refused line, with its first failure. `also` has the other
 * failures.
 */
async function writeRejects(file: string, inputFd: number): Promise<Rejects> {
  const writable = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw new OperatorError(`${file} cannot be written: ${errorMessage(error)}`);
    }
  };
  // Opens without truncating: the file may be the imported one.
  const handle = await writable(open(file, constants.O_WRONLY | constants.O_CREAT));
  try {
    const stats = await handle.stat({ bigint: true });
    if (isSame(stats, fstatSync(inputFd, { bigint: true }))) {
      throw new OperatorError(`${file} is the imported file. Give another file for the refused lines.`);
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
