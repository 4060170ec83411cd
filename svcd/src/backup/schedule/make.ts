import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import type { BackupSettings } from '@svc/service/config/config';
import { errorCode, errorMessage, OperatorError } from '@svc/service/config/errors';
import { counted } from '@svc/service/config/plural';
import { statement } from '@svc/service/database/statement';
import type { CommandContext } from '../../context.ts';
import { explain } from '../../explain.ts';
import { writeWhole } from '../../files/whole-file.ts';
import { MisuseError } from '../../misuse-error.ts';
import { say } from '../../output.ts';
import { signalExitCode, watchSignals } from '../../signals.ts';
import { backupDatabase } from '../database.ts';
import { describeRows } from '../report.ts';
import { backupName, dueInMs, listBackups, newestTime, removeOld, removeParts } from './files.ts';
import { type BackupNews, sentence } from './process.ts';

/** The advisory lock of the node that makes a scheduled backup of this database. */
const SCHEDULE_LOCK = 7_310_003;
/** The session that holds the lock is idle while the backup runs. */
const neverIdle = statement('keep_idle_session', 'control')`set idle_session_timeout = 0`;
const tryLock = statement('try_scheduled_backup', 'control')`select pg_try_advisory_lock($1) as done`;

/**
 * Makes the scheduled backup if it is due and no other node makes one, then removes old ones. Says what it has made; nothing
 * if it had nothing to do. Runs in a process of its own, and ends with the service that has started it.
 */
export async function makeScheduledBackup(context: CommandContext): Promise<void> {
  const { backups } = context.config();
  if (backups === undefined) throw new MisuseError('--scheduled needs SVC_BACKUP_DIR');
  lowerPriority();
  const signals = watchSignals();
  const endWithService = (): void => void process.emit('SIGTERM', 'SIGTERM');
  process.once('disconnect', endWithService);
  if (process.connected === false) endWithService();
  try {
    if (!(await look(backups))) return;
    await context.withAnySchema(
      'svcd backup',
      async ({ pool, url }) => {
        const client = await pool.connect();
        const lost = new AbortController();
        client.on('error', (error) => lost.abort(error));
        try {
          await client.query(neverIdle());
          const { rows } = await client.query<{ done: boolean }>(tryLock(SCHEDULE_LOCK));
          // Another node may have made it meanwhile.
          if (rows[0]?.done && (await look(backups)))
            await make(backups, url, AbortSignal.any([signals.abort, lost.signal]));
        } finally {
          client.release(true);
        }
      },
      { signals },
    );
  } catch (error) {
    if (!signals.abort.aborted) throw withRemedy(error);
    process.exitCode = signalExitCode(await signals.first);
  } finally {
    process.disconnect?.();
  }
}

/** Requests come first. With PRIORITY_LOW, a backup would hardly progress while all cores are busy. */
function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // A sandbox may forbid it. A backup with the usual priority is better than none.
  }
}

/** Whether a backup is due. Tells the service, which has started this process, when the newest one was begun. */
async function look({ directory, everyMs }: BackupSettings): Promise<boolean> {
  const nowMs = Date.now();
  const newestMs = newestTime(await inDirectory(listBackups(directory)), nowMs);
  const news: BackupNews = newestMs === undefined ? {} : { newestMs };
  // The callback gets the error of a service that was killed.
  process.send?.(news, () => undefined);
  return dueInMs(newestMs, everyMs, nowMs) <= 0;
}

/** The directory of the backups cannot be used. The message says what to do. */
class DirectoryError extends OperatorError {}

/** `isOurs`: whether an error of `work` is one of the directory. Default: each is. */
async function inDirectory<T>(
  work: Promise<T>,
  isOurs: (error: unknown) => boolean = () => true,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isOurs(error)) throw error;
    const cause = error instanceof OperatorError ? error.cause : error;
    throw new DirectoryError(`${sentence(errorMessage(error))} ${remedyOf(errorCode(cause))}`, { cause });
  }
}

function remedyOf(code: string | undefined): string {
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return 'Free space on the disk of SVC_BACKUP_DIR, for example by removing an old backup there.';
  if (code === 'EROFS')
    return 'The service must be able to write to SVC_BACKUP_DIR: name it in ReadWritePaths= of the systemd unit, or mount a volume there.';
  return 'SVC_BACKUP_DIR must be a directory that exists and that the user of the service can write to.';
}

/** An error of the database may name a file too, such as its socket, which is not in the directory of the backups. */
const withRemedy = (error: unknown): Error =>
  error instanceof DirectoryError
    ? error
    : new OperatorError(
        `${sentence(explain(error).text)} svcd doctor checks the database and the directory.`,
      );

async function make(settings: BackupSettings, url: string, signal: AbortSignal): Promise<void> {
  const { directory, keep } = settings;
  const nowMs = Date.now();
  const made = backupName(nowMs);
  const file = join(directory, made);
  const started = performance.now();
  // Now, because the backup may need their space.
  await inDirectory(removeParts(directory));
  const report = await inDirectory(
    writeWhole(file, (output) => backupDatabase(url, output, { signal })),
    (error) => error instanceof OperatorError && errorCode(error.cause) !== undefined,
  );
  say(`backed up ${describeRows(report, started)} to ${file}`);
  await look(settings);
  const removed = await inDirectory(removeOld(directory, { made, keep, nowMs }));
  if (removed.length > 0)
    say(`removed ${counted(removed.length, 'old backup', 'old backups')}: ${removed.join(', ')}`);
}
