import { PassThrough } from 'node:stream';
import { createPool, FOR_COMMANDS } from '@svc/service/database/pool';
import { verifyRecords } from '@svc/service/integrity/verify';
import { counted } from '@svc/service/log/plural';
import { RESOURCES } from '@svc/service/resources/index';
import { backupDatabase, restoreDatabase } from '../backup/database.ts';
import { estimateRows } from '../backup/estimate.ts';
import { say } from '../output.ts';
import { showProgress } from '../progress.ts';

const NAME = 'svcd upgrade-database';
const CONNECTIONS = 4;
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
  try {
    await copyRows(from, to, signal, (rows) => progress.update(rows, rows));
  } finally {
    progress.stop();
  }
  signal.throwIfAborted();
  await verifyCopy(to);
}

/** Waits until both sides have ended, so that their connections are closed, and throws the failure that was first. */
async function copyRows(
  from: string,
  to: string,
  signal: AbortSignal,
  onProgress: (rows: number) => void,
): Promise<void> {
  const pipe = new PassThrough({ highWaterMark: PIPE_BYTES });
  const failures: unknown[] = [];
  const fail = (error: unknown): void => {
    failures.push(error);
    pipe.destroy(error instanceof Error ? error : new Error(String(error)));
  };
  await Promise.all([
    backupDatabase(from, pipe, { signal }).then(() => void pipe.end(), fail),
    // Nothing is lost between the two servers, so readers of the change feed keep their positions.
    restoreDatabase(pipe, to, { expirePositions: false, onProgress }).then(() => undefined, fail),
  ]);
  if (failures.length > 0) throw failures[0];
}

/** Differences are no reason to fail: the rows are those of the old database, so it has the same differences. */
async function verifyCopy(url: string): Promise<void> {
  say('Verifying the copy …');
  const pool = createPool({
    url,
    max: CONNECTIONS,
    name: NAME,
    ...FOR_COMMANDS,
    onError: () => undefined,
  });
  try {
    let findings = 0;
    await verifyRecords({
      pool,
      resources: RESOURCES.filter(({ writable }) => writable),
      repair: false,
      onFinding: () => void findings++,
      onProgress: () => undefined,
    });
    if (findings > 0)
      say(
        `The data has ${counted(findings, 'difference', 'differences')} between records and what is derived from them, as ` +
          'the old database has. After the start, run svcd verify --repair.',
      );
  } finally {
    await pool.end();
  }
}
