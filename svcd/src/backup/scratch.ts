import { createReadStream } from 'node:fs';
import { PassThrough } from 'node:stream';
import { CopyError, digestBackup, requireSameRows } from '@svc/database-copy';
import { hasPackagedServer } from '@svc/embedded-postgres';
import { OperatorError } from '@svc/service/config/errors';
import type { Logger } from 'pino';
import { backupDatabase, type RestoreReport, restoreDatabase } from './database.ts';
import { differencesIn } from './differences.ts';
import { withScratchDatabase } from './scratch-database.ts';
import { withScratchServer } from './scratch-server.ts';

export interface ScratchOptions {
  /**
   * The external database that the backup is from, not its pooler: its server gets the scratch database if there is no
   * packaged one.
   */
  readonly databaseUrl: string | undefined;
  readonly log: Logger;
  readonly onProgress?: (rows: number) => void;
  /** Ends the verification. */
  readonly signal?: AbortSignal;
}

const READ_BYTES = 256 * 1024;

/**
 * Restores the backup in a file into a scratch server next to the file, compares all rows, and runs `svcd verify` on it.
 * Throws CopyError or OperatorError if something differs. Removes the server in any case.
 */
export async function verifyBackup(file: string, options: ScratchOptions): Promise<void> {
  await withScratch(file, options, async (url) => {
    const report = await restoreDatabase(createReadStream(file, { highWaterMark: READ_BYTES }), url, {
      expirePositions: false,
      ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
    });
    await compareRows(file, url, report);
    const differences = await differencesIn(url, 'svcd backup --verify');
    if (differences !== undefined)
      throw new CopyError(
        `the backup has ${differences}, as its database probably has: run svcd verify on that`,
      );
  });
}

/** A table that an older backup does not have, or has in another form, cannot be compared. */
async function compareRows(file: string, url: string, { unknown, migrated }: RestoreReport): Promise<void> {
  if (migrated) return;
  const output = new PassThrough();
  const [backup, [restored]] = await Promise.all([
    digestBackup(createReadStream(file, { highWaterMark: READ_BYTES })),
    Promise.all([
      digestBackup(output),
      backupDatabase(url, output).then(
        () => output.end(),
        (error: Error) => output.destroy(error),
      ),
    ]),
  ]);
  requireSameRows(new Map([...backup].filter(([name]) => !unknown.includes(name))), restored);
}

async function withScratch(
  file: string,
  { databaseUrl, log, signal }: ScratchOptions,
  work: (url: string) => Promise<void>,
): Promise<void> {
  if (await hasPackagedServer()) return withScratchServer(file, { log, signal }, work);
  if (databaseUrl === undefined)
    throw new OperatorError('there is no packaged PostgreSQL to verify the backup with');
  return withScratchDatabase(databaseUrl, signal, work);
}
