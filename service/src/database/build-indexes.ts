import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import type { BaseLogger } from 'pino';
import { errorCode } from '../config/errors.ts';
import { statement, statements } from './statement.ts';

/** SQLSTATEs if another node has created the index, has removed it, or builds it too (a deadlock). */
const RACES: ReadonlySet<string> = new Set(['42P07', '42704', '23505', '40P01']);
const POLL_MS = 500;

const GROUP = 'background: the first start after an upgrade builds each index once';
const building = statements('build_indexes', GROUP);

const WORDS: Readonly<Record<string, string>> = {
  mentions_by_word: 'mentions using gin (search_lexemes(workspace_id, id, title, url))',
  content_by_word: 'content using gin (search_lexemes(workspace_id, id, title, url))',
  companies_by_word: `companies using gin (search_lexemes(workspace_id, id, name, '//' || domain))`,
};

/** The state of the index $1: `building` is for any index of its table $2; `cluster` is Citus. */
const selectState = statement('state_of_index', GROUP)`
  select to_regclass($1) is not null as present, to_regclass('pg_dist_partition') is not null as cluster,
    exists (select from pg_index where indexrelid = to_regclass($1) and indisvalid) as complete,
    exists (select from pg_stat_progress_create_index where relid = to_regclass($2)) as building`;

interface IndexState {
  readonly present: boolean;
  readonly complete: boolean;
  readonly building: boolean;
  readonly cluster: boolean;
}

const readTimeout = statement('read_statement_timeout', 'control')`
  select current_setting('statement_timeout') as timeout`;
const setTimeouts = statement('set_statement_timeout', 'control')`
  select set_config('statement_timeout', $1, false)`;

/**
 * Builds the indexes of the words, while nodes read and write their tables: each with CREATE INDEX CONCURRENTLY, for which
 * several nodes wait. An index that a stopped node has left incomplete is built again. In a cluster of Citus, which does not
 * search by them, the migration creates them.
 */
export async function buildWordIndexes(client: pg.ClientBase, log?: Pick<BaseLogger, 'info'>): Promise<void> {
  const { rows } = await client.query<{ timeout: string }>(readTimeout());
  await client.query(setTimeouts('0'));
  try {
    for (const [name, columns] of Object.entries(WORDS)) await buildIndex(client, name, columns, log);
  } finally {
    await client.query(setTimeouts(rows[0]?.timeout ?? '0'));
  }
}

async function buildIndex(
  client: pg.ClientBase,
  name: string,
  columns: string,
  log: Pick<BaseLogger, 'info'> | undefined,
): Promise<void> {
  const run = async (sql: string): Promise<void> => {
    try {
      await client.query(building(`build_indexes ${sql}`, sql)());
    } catch (error) {
      if (!RACES.has(errorCode(error) ?? '')) throw error;
    }
  };
  for (;;) {
    const { rows } = await client.query<IndexState>(selectState(name, columns.split(' ')[0]));
    const [state] = rows;
    if (state === undefined || state.complete || state.cluster) return;
    if (state.building) await setTimeout(POLL_MS);
    else if (state.present) await run(`drop index concurrently if exists ${name}`);
    else {
      log?.info({ index: name }, `building the index ${name}, which may take some minutes`);
      await run(`create index concurrently ${name} on ${columns} with (gin_pending_list_limit = 256)`);
    }
  }
}
