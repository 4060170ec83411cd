import { tryExcludeBackups } from '@svc/database-copy/lock';
import type pg from 'pg';
import { PARTITIONS_AHEAD_MONTHS } from '../config/limits.ts';
import { DAY_MS } from '../config/time.ts';
import { chunkDeletion, deleteInChunks } from '../database/delete-in-chunks.ts';
import { failedFor } from '../database/errors.ts';
import { inTransaction } from '../database/pool.ts';
import { statement, statements } from '../database/statement.ts';

/** The advisory lock of nodes that create or drop partitions, so that only one does at a time. */
const PARTITIONS_LOCK = 7_310_001;

/**
 * Dropping a partition waits for all readers of the log, and all new entries wait for the drop. So it gives up after this
 * time and is tried again later.
 */
const LOCK_TIMEOUT_MS = 2_000;
/** Synchronized clocks differ by less than this. A clock that differs by more may be years off. */
const CLOCKS_APART_MAX_MS = 5 * 60 * 1000;

/** Statements with the name of a partition, which cannot be a parameter. */
const partitionStatement = statements('partitions', 'background: a job runs each once for a partition');

interface Month {
  readonly name: string;
  /** First day of the month, and of the next one, as dates. */
  readonly from: string;
  readonly to: string;
}

function monthOf(nowMs: number, ahead: number): Month {
  const now = new Date(nowMs);
  const day = (offset: number): string =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead + offset, 1))
      .toISOString()
      .slice(0, 10);
  return { name: `audit_log_${day(0).slice(0, 7).replace('-', '_')}`, from: day(0), to: day(1) };
}

const selectNow = statement('database_now', 'control')`
  select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`;

/** The time of the database's clock, which gives the entries their times. The clock of a node may be wrong. */
export async function databaseNow(client: pg.ClientBase | pg.Pool): Promise<number> {
  const { rows } = await client.query<{ now: number }>(selectNow());
  return rows[0]?.now ?? Number.NaN;
}

/** The partitions that were created. `held`: another transaction held the log too long, but this month has a partition. */
interface Created {
  readonly created: readonly string[];
  readonly held?: true;
}

/**
 * Creates the partitions of the audit log for this month and the next ones. `atMs`: another time than the database's clock.
 * It does not wait for readers and writers of the log, and they do not wait for it. If another transaction holds a stronger
 * lock (a change of the schema, a vacuum of the table) for two seconds, it gives up. Then it throws only if this month has
 * no partition.
 */
export async function ensurePartitions(pool: pg.Pool, atMs?: number): Promise<Created> {
  try {
    return { created: await createPartitions(pool, atMs) };
  } catch (error) {
    if (!failedFor(error, 'lock_not_available')) throw error;
    const { name } = monthOf(atMs ?? (await databaseNow(pool)), 0);
    if ((await listPartitions(pool)).every((partition) => partition.name !== name)) throw error;
    return { created: [], held: true };
  }
}

function createPartitions(pool: pg.Pool, atMs: number | undefined): Promise<readonly string[]> {
  return inTransaction(pool, async (client) => {
    await lockPartitions(client);
    const nowMs = atMs ?? (await databaseNow(client));
    const existing = new Set((await listPartitions(client)).map(({ name }) => name));
    const created: string[] = [];
    for (let ahead = 0; ahead <= PARTITIONS_AHEAD_MONTHS; ahead++) {
      const { name, from, to } = monthOf(nowMs, ahead);
      if (existing.has(name)) continue;
      // Creates a table, then attaches it: `partition of` would wait for all readers, and all others would wait for it.
      await client.query(
        partitionStatement(`create_${name}`, `create table ${name} (like audit_log including all)`)(),
      );
      // A partition's bounds cannot be parameters; both come from a Date.
      const attach = `alter table audit_log attach partition ${name} for values from ('${from}') to ('${to}')`;
      await client.query(partitionStatement(`attach_${name}`, attach)());
      created.push(name);
    }
    return created;
  });
}

export interface Expiry {
  readonly retentionDays: number;
  /** This node's clock. */
  readonly nodeNowMs: number;
  /** Default: the database's clock. */
  readonly databaseNowMs?: number;
}

/**
 * The partitions that were dropped. `doubt`: why nothing was dropped although partitions have expired. `postponed`: nothing
 * was dropped because a backup runs.
 */
export interface Expired {
  readonly dropped: readonly string[];
  readonly doubt?: string;
  readonly postponed?: true;
}

const deleteImports = chunkDeletion('imports', 'workspace_id, id', 'created_at < to_timestamp($1 / 1000.0)');

/**
 * Drops the partitions whose newest possible entry is older than the retention, by the database's clock. A dropped month
 * cannot be restored, so nothing is dropped if the time is in doubt: if the clocks of this node and of the database differ,
 * or if no entry would be left. Then deletes the counts of their imports, while requests can write entries again; if that
 * fails, the next call that drops a partition does it.
 */
export async function dropExpiredPartitions(pool: pg.Pool, expiry: Expiry): Promise<Expired> {
  let endsMs = Number.NaN;
  const result = await inTransaction(pool, async (client): Promise<Expired> => {
    await lockPartitions(client);
    const nowMs = expiry.databaseNowMs ?? (await databaseNow(client));
    const partitions = await listPartitions(client);
    const oldestKeptMs = nowMs - expiry.retentionDays * DAY_MS;
    const expired = partitions.filter(({ endsMs }) => endsMs <= oldestKeptMs);
    if (expired.length === 0) return { dropped: [] };
    const doubt = await doubtOf(client, nowMs, expiry.nodeNowMs, partitions, expired);
    if (doubt !== undefined) return { dropped: [], doubt };
    if (!(await tryExcludeBackups(client))) return { dropped: [], postponed: true };
    for (const { name } of expired)
      await client.query(partitionStatement(`drop_${name}`, `drop table ${name}`)());
    endsMs = Math.max(...expired.map((partition) => partition.endsMs));
    return { dropped: expired.map(({ name }) => name) };
  });
  // The entries of imports are a little younger than their counts.
  if (result.dropped.length > 0) await deleteInChunks(pool, deleteImports, [endsMs - DAY_MS]);
  return result;
}

async function doubtOf(
  client: pg.ClientBase,
  nowMs: number,
  nodeNowMs: number,
  partitions: readonly Partition[],
  expired: readonly Partition[],
): Promise<string | undefined> {
  const apartMs = Math.abs(nodeNowMs - nowMs);
  if (apartMs > CLOCKS_APART_MAX_MS) {
    return `the clocks of this node and of the database differ by ${Math.round(apartMs / 1000)} s`;
  }
  const newest = await newestWithEntries(client, partitions);
  if (newest === undefined || !expired.includes(newest)) return undefined;
  return `the newest entry, in ${newest.name}, would be among them`;
}

async function newestWithEntries(
  client: pg.ClientBase,
  partitions: readonly Partition[],
): Promise<Partition | undefined> {
  for (const partition of partitions.toReversed()) {
    const { name } = partition;
    const select = partitionStatement(`used_${name}`, `select exists(select 1 from ${name}) as used`);
    const { rows } = await client.query<{ used: boolean }>(select());
    if (rows[0]?.used === true) return partition;
  }
  return undefined;
}

const lockAdvisory = statement('lock_partitions', 'control')`select pg_advisory_xact_lock($1)`;
const limitLockWait = statement('limit_partition_lock_wait', 'control')`
  set local lock_timeout = ${LOCK_TIMEOUT_MS}`;

async function lockPartitions(client: pg.ClientBase): Promise<void> {
  await client.query(lockAdvisory(PARTITIONS_LOCK));
  await client.query(limitLockWait());
}

export interface Partition {
  readonly name: string;
  /** Entries of the partition are older than this. */
  readonly endsMs: number;
}

const selectPartitions = statement('list_partitions', 'background: it reads the catalog, once per job')`
  select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'audit_log'::regclass order by c.relname`;

/** The monthly partitions that exist, oldest first. */
export async function listPartitions(client: pg.ClientBase | pg.Pool): Promise<readonly Partition[]> {
  const { rows } = await client.query<{ name: string }>(selectPartitions());
  return rows.flatMap(({ name }) => {
    const match = /^audit_log_(\d{4})_(\d{2})$/.exec(name);
    return match === null ? [] : [{ name, endsMs: Date.UTC(Number(match[1]), Number(match[2]), 1) }];
  });
}
