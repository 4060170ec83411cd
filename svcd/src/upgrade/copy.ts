import { PassThrough } from 'node:stream';
import { backupDatabase, type RestoreReport, restoreDatabase } from '../backup/database.ts';
import { differencesIn } from '../backup/differences.ts';
import { estimateRows } from '../backup/estimate.ts';
import { say } from '../output.ts';
import { showProgress } from '../progress.ts';

const NAME = 'svcd upgrade-database';
/** What waits between the two servers. */
const PIPE_BYTES = 1024 * 1024;

/**
 * Copies the service's database to an empty one, through a backup that is restored while it is written. Compares the rows
 * that arrive with those that were read, and runs `svcd verify` on the copy. Both URLs are of databases that nobody
 * else uses.
 */
export async function copyDatabase(
  { from, to }: { readonly from: string; readonly to: string },
  signal: AbortSignal,
): Promise<void> {
  const progress = showProgress(await estimateRows(from, NAME));
  let unknown: RestoreReport['unknown'];
  try {
    ({ unknown } = await copyRows(from, to, signal, (rows) => progress.update(rows, rows)));
  } finally {
    progress.stop();
  }
  signal.throwIfAborted();
  if (unknown.length > 0) {
    say(
      `Left out, because they are not tables of the service: ${unknown.join(', ')}. Only the old data has them.`,
    );
  }
  await verifyCopy(to);
}

/** Waits until both sides have ended, so that their connections are closed, and throws the failure that was first. */
async function copyRows(
  from: string,
  to: string,
  signal: AbortSignal,
  onProgress: (rows: number) => void,
): Promise<RestoreReport> {
  const pipe = new PassThrough({ highWaterMark: PIPE_BYTES });
  const failures: unknown[] = [];
  const fail = (error: unknown): undefined => {
    failures.push(error);
    pipe.destroy(error instanceof Error ? error : new Error(String(error)));
  };
  const [, report] = await Promise.all([
    backupDatabase(from, pipe, { signal }).then(() => void pipe.end(), fail),
    // Nothing is lost between the two servers, so readers of the change feed keep their positions.
    restoreDatabase(pipe, to, { expirePositions: false, onProgress }).catch(fail),
  ]);
  if (report === undefined || failures.length > 0) throw failures[0];
  return report;
}

/** Differences are no reason to fail: the rows are those of the old database, so it has the same differences. */
async function verifyCopy(url: string): Promise<void> {
  say('Verifying the copy …');
  const differences = await differencesIn(url, NAME);
  if (differences !== undefined)
    say(`The data has ${differences}, as the old database has. After the start, run svcd verify --repair.`);
}
