import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { BackupSettings } from '@svc/service/config/config';
import { errorMessage } from '@svc/service/config/errors';
import { HOUR_MS } from '@svc/service/config/time';
import { listBackups, newestTime } from '../backup/schedule/files.ts';
import { type Finding, fail, ok, warn } from './check.ts';

/** Whether scheduled backups can be written, and how old the newest one is. */
export async function checkBackups({ directory, everyMs }: BackupSettings, nowMs: number): Promise<Finding> {
  const path = resolve(directory);
  try {
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    const newestMs = newestTime(await listBackups(path), nowMs);
    if (newestMs === undefined)
      return warn(
        'backups',
        `there is none in ${path}`,
        'the running service makes one: see its log for the reason if it does not',
      );
    const hours = Math.floor((nowMs - newestMs) / HOUR_MS);
    const text = `the newest one in ${path} was begun ${hours < 1 ? 'less than an hour' : `${hours} h`} ago`;
    if (nowMs - newestMs <= 2 * everyMs) return ok('backups', text);
    return warn('backups', text, 'see the log of the service for the reason');
  } catch (error) {
    return fail(
      'backups',
      errorMessage(error),
      'create the directory of SVC_BACKUP_DIR, with the user of the service as its owner',
    );
  }
}
