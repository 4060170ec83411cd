import type pg from 'pg';
import { DataDirectoryInUseError, errorCode } from '../errors.ts';

/**
 * Who uses a data directory is held as session-level advisory locks on one connection, so that it ends with
 * the process, however that ends. The class of the locks is 'svc' in ASCII.
 */
const LOCK_CLASS = 0x73_76_63;
/** Held by the one service, exclusively. */
const SERVICE = 1;
/** Held by everybody who uses the server, shared; whoever gets it exclusively is alone. */
const USER = 2;

/** A connection that was closed, or whose process was killed, has lost its locks within this time. */
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
 * Counts this connection among the server's users. It waits while the last user before it shuts the server
 * down, and fails with the connection when that is done: then the server has to be opened again.
 */
export async function joinUsers(client: pg.Client): Promise<void> {
  await client.query('select pg_advisory_lock_shared($1, $2)', [LOCK_CLASS, USER]);
}

/** Makes this connection the one service of the data directory; throws DataDirectoryInUseError naming the other. */
export async function claimService(client: pg.Client, dataDir: string): Promise<void> {
  if (await lockSoon(client, SERVICE)) return;
  const holder = (await serviceHolder(client)) ?? 'another process';
  await client.query('select pg_advisory_unlock_all()');
  throw new DataDirectoryInUseError(dataDir, holder);
}

/** The service that uses the server, as it introduced itself. */
export async function serviceHolder(client: pg.Client): Promise<string | undefined> {
  return (await holders(client, SERVICE))[0];
}

/** The other users of the server, as they introduced themselves. */
export async function otherUsers(client: pg.Client): Promise<readonly string[]> {
  return holders(client, USER);
}

/**
 * Gives up everything that this connection holds. True when nobody else uses the server: then nobody can
 * begin to before this connection ends, and the server is to be shut down.
 */
export async function leaveUsers(client: pg.Client): Promise<boolean> {
  await client.query('select pg_advisory_unlock_all()');
  // A command beside a service need not wait to see whether it is alone.
  if ((await holders(client, SERVICE)).length > 0) return false;
  return lockSoon(client, USER);
}

/** Takes a lock exclusively; false when somebody still has it after the time that a dead connection needs. */
async function lockSoon(client: pg.Client, lock: number): Promise<boolean> {
  await client.query(`set lock_timeout = '${LOCK_TIMEOUT}'`);
  try {
    await client.query('select pg_advisory_lock($1, $2)', [LOCK_CLASS, lock]);
    return true;
  } catch (error) {
    if (errorCode(error) === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}

async function holders(client: pg.Client, lock: number): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(HOLDERS, [LOCK_CLASS, lock]);
  return rows.map(({ name }) => name);
}
