import type pg from 'pg';
import { DataDirectoryInUseError, hasCode } from '../errors.ts';

/**
 * Each user of a data directory holds session-level advisory locks on one connection. They end with the process, even
 * if it is killed. The class of the locks is 'svc' in ASCII.
 */
export const LOCK_CLASS = 0x73_76_63;
/** The lock that the service holds exclusively, so there is one service. */
const SERVICE = 1;
/** The lock that every user of the server shares. A process that gets it exclusively is the only user. */
export const USER = 2;

/** The server frees the locks of a closed connection, or of a killed process, within this time. */
const LOCK_TIMEOUT = '1s';
/** SQLSTATE lock_not_available. */
const LOCK_NOT_AVAILABLE = '55P03';
const HOLDERS = `
  select application_name as name
  from pg_locks join pg_stat_activity using (pid)
  where locktype = 'advisory' and classid = $1 and objid = $2 and granted
    and pg_locks.database = (select oid from pg_database where datname = current_database())
    and pid <> pg_backend_pid()
  order by backend_start`;

/**
 * Adds this connection to the users of the server. Waits while the last user shuts the server down, and then fails
 * with the connection: the caller has to open the server again.
 */
export async function joinUsers(client: pg.Client): Promise<void> {
  // The connection is idle most of the time, and the configuration of the operator must not end it.
  await client.query('set idle_session_timeout = 0');
  await client.query('select pg_advisory_lock_shared($1, $2)', [LOCK_CLASS, USER]);
}

/**
 * Makes this connection the service of the data directory. Throws DataDirectoryInUseError if there is another one.
 */
export async function claimService(client: pg.Client, dataDir: string): Promise<void> {
  if (await lockSoon(client, SERVICE)) return;
  const holder = (await serviceHolder(client)) ?? 'another process';
  await client.query('select pg_advisory_unlock_all()');
  throw new DataDirectoryInUseError(dataDir, holder);
}

/** The name and process id of the service that uses the server. Undefined if there is none. */
export async function serviceHolder(client: pg.Client): Promise<string | undefined> {
  return (await holders(client, SERVICE))[0];
}

/** The names and process ids of the other users of the server. */
export async function otherUsers(client: pg.Client): Promise<readonly string[]> {
  return holders(client, USER);
}

/**
 * Frees the locks of this connection. True if there is no other user. Then this connection has the lock of the users
 * exclusively, so no other process can join before it ends, and the caller has to shut the server down.
 */
export async function leaveUsers(client: pg.Client): Promise<boolean> {
  await client.query('select pg_advisory_unlock_all()');
  // While a service runs, a command need not wait for LOCK_TIMEOUT to see that it is not the last user.
  if ((await holders(client, SERVICE)).length > 0) return false;
  return lockSoon(client, USER);
}

/** Takes a lock exclusively. False if another connection still has it after LOCK_TIMEOUT. */
async function lockSoon(client: pg.Client, lock: number): Promise<boolean> {
  await client.query(`set lock_timeout = '${LOCK_TIMEOUT}'`);
  try {
    await client.query('select pg_advisory_lock($1, $2)', [LOCK_CLASS, lock]);
    return true;
  } catch (error) {
    if (hasCode(error, LOCK_NOT_AVAILABLE)) return false;
    throw error;
  }
}

async function holders(client: pg.Client, lock: number): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(HOLDERS, [LOCK_CLASS, lock]);
  return rows.map(({ name }) => name);
}
