import type pg from 'pg';
import { RESOURCES } from '../../src/resources/index.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { COMPANY, type FilterCase, LISTS, type ListCase, OTHER_COMPANY } from '../harness/lists.ts';
import { indexWords, type SeedRow, seedChanges, seedRecords, tableOf } from '../harness/records.ts';
import { COMMON_WORD } from './shapes.ts';

/** A database with a large workspace that the planner's statistics do not describe. */
export interface PlanState {
  readonly database: TestDatabase;
  readonly workspaceId: string;
  /** Ids of the other workspaces. */
  readonly others: readonly string[];
}

/** What the statistics say of the workspace. All of its lists have ROWS items. */
export const STATES = {
  'without statistics': { others: 3, rowsOfOthers: 1_000, analyzed: false },
  'with statistics older than the workspace': { others: 5, rowsOfOthers: 1_000, analyzed: true },
  'outside the most common values among 5,000 others': { others: 5_000, rowsOfOthers: 2, analyzed: true },
} as const;
export type StateName = keyof typeof STATES;

/** Items of each list of the workspace. */
export const ROWS = 6_000;
/** Rows that differ in their values. Each exists ROWS / PATTERNS times in the workspace. */
const PATTERNS = 200;
/** One row in so many has the first value of a filter. Without the filter's index, a page reads as many times its rows. */
const RARE = 20;

const time = (index: number): string => new Date(Date.UTC(2026, 2, 1) + index * 21_600_000).toISOString();

function filterValue({ good, other }: FilterCase, position: number, index: number): string {
  const rare = index % RARE === 0 && (position === 0 || index % (RARE * 2) === 0);
  return rare ? good : other;
}

function pattern(list: ListCase, index: number): SeedRow {
  const at = time(index);
  const values = Object.fromEntries(list.filters.map((each, i) => [each.name, filterValue(each, i, index)]));
  const row = { ...values, createdAt: at, completedAt: at, publishedAt: at, headlineScore: index % 100 };
  const keys =
    list.name === 'api-keys'
      ? { companyId: index % RARE === 0 ? COMPANY : null, revokedAt: index % 2 === 0 ? null : at }
      : {};
  return { ...row, ...keys, id: `${list.resource.idPrefix}_${index}` };
}

/** Creates a database in which the workspace is in the state. Autovacuum is off, so the state stays. */
export async function createState(name: StateName): Promise<PlanState> {
  const { others, rowsOfOthers, analyzed } = STATES[name];
  const database = await createTestDatabase();
  const { pool } = database;
  const patterns = await seedPatterns(pool);
  await withoutAutovacuum(pool);
  const ids = await workspaces(pool, others);
  await copyPatterns(pool, patterns, ids, rowsOfOthers);
  if (analyzed) await pool.query('analyze');
  const [workspaceId = ''] = await workspaces(pool, 1);
  await copyPatterns(pool, patterns, [workspaceId], ROWS);
  await fillOtherTables(pool, workspaceId);
  await indexWords(pool);
  return { database, workspaceId, others: ids };
}

/** Creates the workspace that the others are copies of, with one row of each pattern. Returns its id. */
async function seedPatterns(pool: pg.Pool): Promise<string> {
  const [id = ''] = await workspaces(pool, 1);
  for (const list of inOrder())
    await seedRecords(
      pool,
      id,
      list.resource,
      Array.from({ length: PATTERNS }, (_, index) => pattern(list, index)),
    );
  return id;
}

/** Records of each workspace and list whose title or name has the word `rarely`. All have COMMON_WORD. */
export const RARE_TITLES = 40;

/** Companies first: the others refer to them. */
const inOrder = (): readonly ListCase[] =>
  LISTS.toSorted((a, b) => Number(b.name === 'companies') - Number(a.name === 'companies'));

/** Creates workspaces with the companies that all rows refer to. */
async function workspaces(pool: pg.Pool, count: number): Promise<readonly string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `with ids as (select 'wks_' || md5(random()::text) as id from generate_series(1, $1)),
      created as (insert into workspaces (id, name) select id, 'test' from ids),
      clocks as (insert into workspace_clocks (workspace_id) select id from ids),
      meters as (insert into live_meters (workspace_id) select id from ids)
    select id from ids`,
    [count],
  );
  const ids = rows.map(({ id }) => id);
  await pool.query(
    `insert into companies (workspace_id, id, name, created_at, doc)
     select w, c, 'a company', '2026-01-01', json_build_object('id', c, 'name', 'a company', 'domain', null, 'createdAt', '2026-01-01T00:00:00.000000Z') from unnest($1::text[]) w, unnest($2::text[]) c`,
    [ids, [COMPANY, OTHER_COMPANY]],
  );
  return ids;
}

async function withoutAutovacuum(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  for (const { name } of rows) await pool.query(`alter table ${name} set (autovacuum_enabled = off)`);
}

/** Gives each workspace `count` rows of each list, in an order that no list has. */
async function copyPatterns(
  pool: pg.Pool,
  patterns: string,
  ids: readonly string[],
  count: number,
): Promise<void> {
  for (const { resource } of inOrder()) {
    const table = tableOf(resource);
    const { rows } = await pool.query<{ name: string; type: string }>(
      `select attname as name, format_type(atttypid, null) as type from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      [table],
    );
    const values = rows.map(({ name, type }) => {
      if (name === 'workspace_id') return 'w';
      if (name === resource.searched?.[0]) {
        const number = 'row_number() over (partition by w order by copy, hashtext(id))';
        return `'Some ${COMMON_WORD}' || case when ${number} <= ${RARE_TITLES} then ' rarely' else '' end`;
      }
      if (name === 'id') return "id || '_' || copy";
      if (name === 'id_order')
        return `decode(lpad(to_hex(row_number() over (partition by w order by id || '_' || copy)), 10, '0'), 'hex')`;
      return type.startsWith('timestamp') ? `${name} + copy * interval '1 millisecond'` : name;
    });
    await pool.query(
      `insert into ${table} (${rows.map(({ name }) => name).join(', ')})
       select ${values.join(', ')} from unnest($2::text[]) w,
         (select * from ${table} where workspace_id = $1 order by hashtext(id) limit $3) p, generate_series(1, $4) copy
       order by hashtext(id || copy || w)`,
      [patterns, ids, Math.min(count, PATTERNS), Math.max(1, Math.round(count / PATTERNS))],
    );
  }
}

/** The tables that are no lists with a row for each item: the feed, counters, stored answers and imports. */
async function fillOtherTables(pool: pg.Pool, workspaceId: string): Promise<void> {
  const series = `generate_series(1, ${ROWS}) i order by hashtext(i::text)`;
  await pool.query(
    `insert into record_counts (workspace_id, resource, company_id, records)
     select $1, resource, company, ${ROWS} from unnest($2::text[]) resource,
       (select '' as company union all select id from companies where workspace_id = $1) c`,
    [workspaceId, RESOURCES.map(({ name }) => name)],
  );
  await seedFeed(pool, workspaceId);
  await seedDeliveries(pool, workspaceId);
  await pool.query(
    `insert into idempotent_answers (workspace_id, idempotency_key, fingerprint, status, headers, body)
     select $1, 'name_' || i, '', 201, '{}', '{}' from ${series}`,
    [workspaceId],
  );
  await pool.query(
    `insert into key_usage (workspace_id, key_id, day, requests, errors)
     select $1, id, '2020-01-01'::date + copy, 1, 0
     from (select id from api_keys where workspace_id = $1 limit ${ROWS / 100}) k, generate_series(1, 100) copy`,
    [workspaceId],
  );
  await pool.query(
    `insert into verifications (id, identifier, value, expires_at, created_at, updated_at)
     select i, 'step_' || i, 'usr_' || i, now() + interval '1 hour', now(), now() from ${series}`,
  );
  await pool.query(
    `insert into imports (workspace_id, id, records, run_id) select $1, 'imp_' || i, 1, 'run' from ${series}`,
    [workspaceId],
  );
}

/** An endpoint of the large workspace with ROWS deliveries: a quarter of them waits, and a quarter has failed. */
export const FULL_ENDPOINT = 'whe_full';
/** Another one like it, whose deliveries a statement changes. */
export const WAITING_ENDPOINT = 'whe_waiting';

async function seedDeliveries(pool: pg.Pool, workspaceId: string): Promise<void> {
  await pool.query(
    `insert into webhook_endpoints (workspace_id, id, url, description, ordered, secret, position)
     select $1, id, 'https://example.com', '', false, 'secret', 'chg_0' from unnest($2::text[]) id`,
    [workspaceId, [FULL_ENDPOINT, WAITING_ENDPOINT, ...Array.from({ length: 20 }, (_, i) => `whe_${i}`)]],
  );
  await pool.query(
    `insert into webhook_deliveries (workspace_id, endpoint_id, event_id, type, state, attempts, duration_ms, attempted_at,
       created_at, next_attempt_at, body)
     select $1, endpoint, 'chg_' || lpad(i::text, 8, '0'), case when i % 20 = 0 then 'audit.created' else 'content.updated' end,
       state, 1, 10, now(), now() - i * interval '1 second',
       case when state = 'pending' then now() + i * interval '1 second' end, case when state <> 'delivered' then '{"data":{}}'::bytea end
     from (select i, (array['pending', 'failed', 'delivered', 'delivered'])[i % 4 + 1] as state
       from generate_series(1, ${ROWS}) i) each, unnest($2::text[]) endpoint order by hashtext(i || endpoint)`,
    [workspaceId, [FULL_ENDPOINT, WAITING_ENDPOINT]],
  );
}

/** A feed with ROWS changes: half of them in rows of their own, half in full rows, and those without their JSON. */
async function seedFeed(pool: pg.Pool, workspaceId: string): Promise<void> {
  const { rows } = await pool.query<{ id: string; doc: string; audit: string }>(
    `select c.id, c.doc, a.id as audit from
      (select id, doc, row_number() over () as number from content where workspace_id = $1 and company_id = $2) c
      join (select id, row_number() over () as number from audits where workspace_id = $1) a using (number)`,
    [workspaceId, COMPANY],
  );
  const halves = Array.from({ length: ROWS / 2 }, (_, i) => rows[i % rows.length]);
  await seedChanges(
    pool,
    workspaceId,
    halves.map((row, i) => ({
      type: i % 2 === 0 ? 'content.created' : 'content.updated',
      recordId: row?.id ?? '',
      companyId: COMPANY,
      doc: row?.doc ?? null,
    })),
  );
  await seedChanges(
    pool,
    workspaceId,
    halves.map((row) => ({ type: 'audit.created', recordId: row?.audit ?? '', companyId: COMPANY })),
  );
}

/** How many partitions the audit log has. */
export async function partitionsOf({ database }: PlanState): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    `select count(*) from pg_inherits where inhparent = 'audit_log'::regclass`,
  );
  return rows[0]?.count ?? Number.NaN;
}
