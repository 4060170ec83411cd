import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import type { BaseLogger } from 'pino';
import { failedFor } from './errors.ts';
import { statement, statements } from './statement.ts';

/** The advisory lock of the node that builds indexes of this database. */
const INDEXES_LOCK = 7_310_004;
const POLL_MS = 500;

const GROUP = 'background: the first start after an upgrade builds each index once';
const building = statements('build_indexes', GROUP);

/**
 * The indexes of the words, without rows: a later migration removes them. Migration 39 leaves out those that exist, and
 * creates the others with all rows, which locks the tables meanwhile.
 */
const WORDS = ['mentions_by_word', 'content_by_word', 'companies_by_word'];

/** Which indexes of $1 are incomplete. `present`: a stopped node left a part. None after that migration, or in a cluster. */
const selectMissing = statement('missing_indexes', GROUP)`
  select name, to_regclass(name) is not null as present from unnest($1::text[]) name
  where to_regclass('pg_dist_partition') is null and not exists (select from schema_migrations where number = 39)
    and not exists (select from pg_index where indexrelid = to_regclass(name) and indisvalid)`;

interface MissingIndex {
  readonly name: string;
  readonly present: boolean;
}

/** The index of the entries that are no requests, and what it indexes in the log and in each partition. */
const EVENTS = 'audit_log_by_event';
const EVENT_COLUMNS = `(workspace_id, kind, created_at, id) where kind <> 'api.request'`;

/** The partitions of the log in which the index $1 is missing or invalid. None in a cluster of Citus. */
const selectPartitions = statement('partitions_without_index', GROUP)`
  select inhrelid::regclass::text as name from pg_inherits
  where inhparent = 'audit_log'::regclass and to_regclass('pg_dist_partition') is null
    and not exists (
      select from pg_index join pg_inherits attached on attached.inhrelid = indexrelid
      where indrelid = pg_inherits.inhrelid and attached.inhparent = to_regclass($1) and indisvalid)
  order by 1`;

// A statement of its own: Citus refuses one that reads a catalog and a distributed table.
const selectEmpty = statement('log_is_empty', GROUP)`select not exists (select from audit_log) as empty`;

// A session that waited for the lock in a statement would have a snapshot, for which CREATE INDEX CONCURRENTLY waits.
const tryLock = statement('try_to_build_indexes', 'control')`select pg_try_advisory_lock($1) as locked`;
const unlock = statement('end_building_indexes', 'control')`select pg_advisory_unlock($1)`;
const readTimeouts = statement('read_timeouts', 'control')`
  select current_setting('statement_timeout') as statement, current_setting('idle_session_timeout') as idle`;
const setTimeouts = statement('set_timeouts', 'control')`
  select set_config('statement_timeout', $1, false), set_config('idle_session_timeout', $2, false)`;
/** After this time without a statement, the server ends the session of a frozen node, and so frees the lock. */
const IDLE_TIMEOUT = '60s';

/**
 * Work before a migration: builds indexes while nodes read and write their tables, each with CREATE INDEX CONCURRENTLY. One
 * node builds them, and the others wait. An index that a stopped node has left incomplete is built again. In a cluster of
 * Citus, the migration creates them. After an error, the caller closes the connection, which ends the lock and the settings.
 */
type BuildIndexes = (client: pg.ClientBase, log?: Pick<BaseLogger, 'info'>) => Promise<void>;

type Run = (sql: string) => Promise<unknown>;

/** Builds what `find` returns. `build` runs statements, and logs what it builds. */
const buildMissing =
  <Missing>(
    find: (client: pg.ClientBase) => Promise<readonly Missing[]>,
    build: (missing: readonly Missing[], run: Run, log: (index: string) => void) => Promise<void>,
  ): BuildIndexes =>
  async (client, log) => {
    const run: Run = (sql) => client.query(building(`build_indexes ${sql}`, sql)());
    let waits = false;
    // Looks again afterwards, for partitions that were created meanwhile.
    while ((await find(client)).length > 0) {
      if (!(await lock(client))) {
        if (!waits) log?.info('waiting for another node, which builds indexes');
        waits = true;
        await setTimeout(POLL_MS);
        continue;
      }
      const { rows } = await client.query<{ statement: string; idle: string }>(readTimeouts());
      await client.query(setTimeouts('0', IDLE_TIMEOUT));
      await build(await find(client), run, (index) =>
        log?.info({ index }, `building the index ${index}, which may take some minutes`),
      );
      await client.query(setTimeouts(rows[0]?.statement, rows[0]?.idle));
      await client.query(unlock(INDEXES_LOCK));
    }
  };

async function lock(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(tryLock(INDEXES_LOCK));
  return rows[0]?.locked === true;
}

/** Builds the indexes of the words, without rows (docs/decisions/0040). */
export const buildWordIndexes = buildMissing(
  async (client) => (await client.query<MissingIndex>(selectMissing(WORDS))).rows,
  async (missing, run) => {
    for (const { name, present } of missing) {
      if (present) await run(`drop index concurrently ${name}`);
      await run(`create index concurrently ${name} on ${name.replace('_by_word', '')} (id) where false`);
    }
  },
);

/** Builds the index of the log's events (docs/decisions/0044), partition by partition. */
export const buildEventIndex = buildMissing(
  async (client) => {
    const { rows: partitions } = await client.query<{ name: string }>(selectPartitions(EVENTS));
    if (partitions.length === 0) return [];
    // The migration creates the index of an empty log.
    const { rows } = await client.query<{ empty: boolean }>(selectEmpty());
    return rows[0]?.empty === true ? [] : partitions;
  },
  async (partitions, run, log) => {
    await run(`create index if not exists ${EVENTS} on only audit_log ${EVENT_COLUMNS}`);
    for (const { name } of partitions) {
      const index = `${name}_by_event`;
      log(index);
      try {
        await run(`drop index concurrently if exists ${index}`);
        await run(`create index concurrently ${index} on ${name} ${EVENT_COLUMNS}`);
        await run(`alter index ${EVENTS} attach partition ${index}`);
      } catch (error) {
        // Another node has dropped the partition, whose entries had expired.
        if (!failedFor(error, 'undefined_table')) throw error;
      }
    }
  },
);
