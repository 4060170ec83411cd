import type pg from 'pg';

/**
 * The advisory lock that each backup shares. A backup has locks on all tables, so a change of a table would wait for its
 * end, and all requests for that change. So changes take this lock first, for which no request waits.
 */
const BACKUP_LOCK = 7_310_002;
/** How long a new release waits for a backup. Its process manager tries again later. */
const WAIT_MS = 15_000;
/** SQLSTATE lock_not_available. */
const LOCK_NOT_AVAILABLE = '55P03';

/** For a backup, until its session ends. Waits while a table is changed. */
export async function shareBackupLock(client: pg.ClientBase): Promise<void> {
  await client.query('select pg_advisory_lock_shared($1)', [BACKUP_LOCK]);
}

/** Lets no backup begin until the transaction ends. False if one runs. */
export async function tryExcludeBackups(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ done: boolean }>('select pg_try_advisory_xact_lock($1) as done', [
    BACKUP_LOCK,
  ]);
  return rows[0]?.done === true;
}

/**
 * Like {@link tryExcludeBackups}, but waits 15 seconds for the end of a backup. If it is false, the transaction has
 * failed; otherwise it has no lock timeout any more.
 */
export async function excludeBackups(client: pg.ClientBase): Promise<boolean> {
  try {
    await client.query(`set local lock_timeout = ${WAIT_MS}`);
    await client.query('select pg_advisory_xact_lock($1)', [BACKUP_LOCK]);
    await client.query('set local lock_timeout = 0');
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}
