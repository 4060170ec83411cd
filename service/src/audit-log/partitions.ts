import type pg from 'pg';
import { inTransaction } from '../database/pool.ts';
import { PARTITIONS_AHEAD_MONTHS } from '../limits.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Serialises nodes that make or drop partitions at the same time. */
const PARTITIONS_LOCK = 7_310_001;

/**
 * Making or dropping a partition waits for everybody who reads the log, and every entry waits behind it. After this
 * time it gives up instead, and is tried again later.
 */
const LOCK_TIMEOUT_MS = 2_000;

interface Month {
  readonly name: string;
  /** First day of the month, and of the next one, as dates. */
  readonly from: string;
  readonly to: string;
}

function monthAt(year: number, month: number): Month {
  const day = (offset: number): string =>
    new Date(Date.UTC(year, month + offset, 1)).toISOString().slice(0, 10);
  return { name: `audit_log_${day(0).slice(0, 7).replace('-', '_')}`, from: day(0), to: day(1) };
}

/** Makes the audit log's partitions of this month and of those ahead. Returns the names of the new ones. */
export function ensurePartitions(pool: pg.Pool, nowMs: number): Promise<readonly string[]> {
  const now = new Date(nowMs);
  return inTransaction(pool, async (client) => {
    await lockPartitions(client);
    const existing = new Set((await listPartitions(client)).map(({ name }) => name));
    const made: string[] = [];
    for (let ahead = 0; ahead <= PARTITIONS_AHEAD_MONTHS; ahead++) {
      const { name, from, to } = monthAt(now.getUTCFullYear(), now.getUTCMonth() + ahead);
      if (existing.has(name)) continue;
      // A partition's bounds cannot be parameters; both come from a Date.
      await client.query(
        `create table ${name} partition of audit_log for values from ('${from}') to ('${to}')`,
      );
      made.push(name);
    }
    return made;
  });
}

/** Drops the partitions whose newest possible entry is older than the retention. Returns their names. */
export function dropExpiredPartitions(
  pool: pg.Pool,
  nowMs: number,
  retentionDays: number,
): Promise<readonly string[]> {
  const oldestKeptMs = nowMs - retentionDays * DAY_MS;
  return inTransaction(pool, async (client) => {
    await lockPartitions(client);
    const expired = (await listPartitions(client)).filter(({ endsMs }) => endsMs <= oldestKeptMs);
    for (const { name } of expired) await client.query(`drop table ${name}`);
    return expired.map(({ name }) => name);
  });
}

async function lockPartitions(client: pg.ClientBase): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1)', [PARTITIONS_LOCK]);
  await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
}

export interface Partition {
  readonly name: string;
  /** Entries of the partition are older than this. */
  readonly endsMs: number;
}

/** The monthly partitions there are, oldest first. */
export async function listPartitions(client: pg.ClientBase | pg.Pool): Promise<readonly Partition[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'audit_log'::regclass order by c.relname`,
  );
  return rows.flatMap(({ name }) => {
    const match = /^audit_log_(\d{4})_(\d{2})$/.exec(name);
    return match === null ? [] : [{ name, endsMs: Date.UTC(Number(match[1]), Number(match[2]), 1) }];
  });
}
