import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { errorMessage } from '../database/embedded/error.ts';
import { OperatorError } from '../operator-error.ts';
import type { Refused } from '../records/batches.ts';
import { say } from './say.ts';

/** Where refused lines go. */
export interface Rejects {
  readonly write: (refused: readonly Refused[]) => Promise<void>;
  readonly end: () => Promise<void>;
}

/** Lines that are told on standard error when there is no file for them. */
const TOLD_LINES = 20;

/** To the file, which is overwritten, else the first ones to standard error. */
export async function openRejects(file: string | undefined): Promise<Rejects> {
  return file === undefined ? tell() : writeTo(file);
}

function tell(): Rejects {
  let told = 0;
  let untold = 0;
  return {
    write: async (refused) => {
      const shown = refused.slice(0, Math.max(0, TOLD_LINES - told));
      for (const { line, failures } of shown) {
        say(`line ${line}: ${failures.map(({ field, reason }) => `${field} ${reason}`.trim()).join('; ')}`);
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
async function writeTo(file: string): Promise<Rejects> {
  const handle = await open(file, 'w').catch((error: unknown) => {
    throw new OperatorError(`${file} cannot be written: ${errorMessage(error)}`);
  });
  const stream = handle.createWriteStream();
  return {
    write: async (refused) => {
      if (!stream.write(refused.map(rejectLine).join(''))) await once(stream, 'drain');
    },
    end: async () => {
      stream.end();
      await once(stream, 'close');
    },
  };
}

function rejectLine({ line, text, failures: [first, ...also] }: Refused): string {
  const { field, reason } = first ?? { field: '', reason: '' };
  return `${JSON.stringify({ line, field, reason, text, ...(also.length > 0 ? { also } : {}) })}\n`;
}
