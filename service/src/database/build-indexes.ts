import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import type { BaseLogger } from 'pino';
import { statement, statements } from './statement.ts';

/** The advisory lock of the node that builds indexes of this database. */
const INDEXES_LOCK = 7_310_004;
const POLL_MS = 500;

const GROUP = 'background: the first start after an upgrade builds each index once';
const building = statements('build_indexes', GROUP);

const WORDS: Readonly<Record<string, string>> = {
  mentions_by_word: 'mentions using gin (search_lexemes(workspace_id, id, title, url))',
  content_by_word: 'content using gin (search_lexemes(workspace_id, id, title, url))',
  companies_by_word: `companies using gin (search_lexemes(workspace_id, id, name, '//' || domain))`,
};

/** Which of the indexes $1 are not complete. `present`: a stopped node has left a part. None in a cluster of Citus. */
const selectMissing = statement('missing_indexes', GROUP)`
  select name, to_regclass(name) is not null as present from unnest($1::text[]) name
  where to_regclass('pg_dist_partition') is null
    and not exists (select from pg_index where indexrelid = to_regclass(name) and indisvalid)`;

interface MissingIndex {
  readonly name: string;
  readonly present: boolean;
}

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
 * Builds the indexes of the words, while nodes read and write their tables: each with CREATE INDEX CONCURRENTLY. One node
 * builds them, and the others wait. An index that a stopped node has left incomplete is built again. In a cluster of Citus,
 * which does not search by them, the migration creates them. After an error, the caller closes the connection, which ends
 * the lock and the settings.
 */
export async function buildWordIndexes(client: pg.ClientBase, log?: Pick<BaseLogger, 'info'>): Promise<void> {
  let waits = false;
  while ((await findMissing(client)).length > 0) {
    if (await lock(client)) {
      await buildMissing(client, log);
      return;
    }
    if (!waits) log?.info('waiting for another node, which builds indexes for the search');
    waits = true;
    await setTimeout(POLL_MS);
  }
}

async function findMissing(client: pg.ClientBase): Promise<readonly MissingIndex[]> {
  const { rows } = await client.query<MissingIndex>(selectMissing(Object.keys(WORDS)));
  return rows;
}

async function lock(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(tryLock(INDEXES_LOCK));
  return rows[0]?.locked === true;
}

/** Needs the lock. Releases it, unless it throws. */
async function buildMissing(client: pg.ClientBase, log: Pick<BaseLogger, 'info'> | undefined): Promise<void> {
  const run = (sql: string) => client.query(building(`build_indexes ${sql}`, sql)());
  const { rows } = await client.query<{ statement: string; idle: string }>(readTimeouts());
  await client.query(setTimeouts('0', IDLE_TIMEOUT));
  for (const { name, present } of await findMissing(client)) {
    if (present) await run(`drop index concurrently ${name}`);
    log?.info({ index: name }, `building the index ${name}, which may take some minutes`);
    await run(`create index concurrently ${name} on ${WORDS[name]} with (gin_pending_list_limit = 256)`);
  }
  await client.query(setTimeouts(rows[0]?.statement, rows[0]?.idle));
  await client.query(unlock(INDEXES_LOCK));
}
