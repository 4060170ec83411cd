import { rightsMistake, serverMistake } from '@svc/postgres-sessions';
import { databaseNow, listPartitions } from '@svc/service/audit-log/partitions';
import type { Config } from '@svc/service/config/config';
import { PARTITIONS_AHEAD_MONTHS } from '@svc/service/config/limits';
import { counted } from '@svc/service/config/plural';
import { readApplied, readMigrationFiles } from '@svc/service/database/migrate';
import { statement } from '@svc/service/database/statement';
import { connectionsOf, OWN_CONNECTIONS } from '@svc/service/server/open-database';
import type pg from 'pg';
import { checkAhead } from './ahead.ts';
import { type Finding, fail, ok, warn } from './check.ts';
import { checkSecretUse } from './secrets.ts';

const CLOCK_WARN_MS = 2_000;
/** The expiry of cursors, sessions and quotas depends on both clocks. */
const CLOCK_FAIL_MS = 60_000;

/** Checks a database that answers. Runs the checks of the tables only if the schema is the one of this program. */
export async function checkDatabase(
  pool: pg.Pool,
  config: Config,
  nowMs: () => number,
): Promise<readonly Finding[]> {
  const server = await checkServer(pool, config);
  const durability = await checkDurability(pool);
  const clock = await checkClock(pool, nowMs);
  const schema = await checkSchema(pool);
  if (schema.status !== 'ok') return [server, durability, clock, schema];
  return [
    server,
    durability,
    clock,
    schema,
    await checkPartitions(pool, nowMs()),
    await checkAhead(pool),
    ...(await checkSecretUse(pool, config)),
  ];
}

const selectServer = statement('server_state', 'control')`
  select current_setting('server_version') as version, current_setting('max_connections')::int as limit,
  (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used`;

async function checkServer(pool: pg.Pool, config: Config): Promise<Finding> {
  const mistake = await serverMistake(pool);
  if (mistake !== undefined) return fail('database', mistake.problem, mistake.remedy);
  const { rows } = await pool.query<{ version: string; limit: number; used: number }>(selectServer());
  const { version = '', limit = 0, used = 0 } = rows[0] ?? {};
  const text = `PostgreSQL ${version}, ${used} of ${limit} connections`;
  // The others lead to the pooler, which shares its own between all nodes.
  const needed = config.databasePooler === 'none' ? connectionsOf(config) : OWN_CONNECTIONS;
  return needed <= limit
    ? ok('database', text)
    : warn(
        'database',
        `${text}; this node needs up to ${needed}`,
        'raise max_connections, or lower SVC_WORKERS or SVC_DATABASE_CONNECTIONS',
      );
}

const selectUnsafeSettings = statement('unsafe_settings', 'control')`
  select name from pg_settings where name in ('fsync', 'full_page_writes') and setting = 'off' order by name`;

/** Checks settings of the whole server. `synchronous_commit` needs no check: the service sets it in each session. */
async function checkDurability(pool: pg.Pool): Promise<Finding> {
  const { rows } = await pool.query<{ name: string }>(selectUnsafeSettings());
  const off = rows.map(({ name }) => `${name} = off`).join(', ');
  return off === ''
    ? ok('durability', 'commits are written to the disk')
    : warn(
        'durability',
        off,
        'turn it on: otherwise a failure of the machine may damage the database or lose commits',
      );
}

/** Compares the clocks of this machine and the database, without counting the duration of the query. */
async function checkClock(pool: pg.Pool, nowMs: () => number): Promise<Finding> {
  const before = nowMs();
  const there = await databaseNow(pool);
  const after = nowMs();
  const apart = Math.round(Math.max(there - after, before - there, 0));
  const text =
    apart === 0 ? 'agrees with the database' : `differs from the database by ${counted(apart, 'ms', 'ms')}`;
  if (apart >= CLOCK_FAIL_MS) return fail('clock', text, 'synchronise both with the same time server (NTP)');
  if (apart >= CLOCK_WARN_MS) return warn('clock', text, 'synchronise both with the same time server (NTP)');
  return ok('clock', text);
}

async function checkSchema(pool: pg.Pool): Promise<Finding> {
  const files = await readMigrationFiles();
  const rows = await readApplied(pool);
  const foreign = rows.find((row, i) => row.sha256 !== files[i]?.sha256);
  if (foreign !== undefined) {
    return fail(
      'schema',
      `this program does not have migration ${foreign.name}`,
      'run the version of the program that last used this database',
    );
  }
  const pending = files.slice(rows.length);
  if (pending.length === 0) return ok('schema', `all ${files.length} migrations are applied`);
  const text = `${counted(pending.length, 'migration', 'migrations')} to apply`;
  const mistake = await rightsMistake(pool);
  if (mistake !== undefined) return fail('schema', `${text}, but ${mistake.problem}`, mistake.remedy);
  const names = pending.map(({ name }) => name).join(', ');
  // A new database lacks all of them.
  return warn('schema', rows.length === 0 ? text : `${text}: ${names}`, 'svcd start applies them');
}

async function checkPartitions(pool: pg.Pool, nowMs: number): Promise<Finding> {
  const last = (await listPartitions(pool)).at(-1);
  const text = last === undefined ? 'none' : `up to ${last.name.slice(-7).replace('_', '-')}`;
  const now = new Date(nowMs);
  const endOfMonth = (ahead: number): number =>
    Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead + 1, 1);
  const remedy = 'start the service: it creates them at the start and every hour';
  const endsMs = last?.endsMs ?? 0;
  if (endsMs < endOfMonth(0)) return fail('audit log', `no partition for this month (${text})`, remedy);
  if (endsMs < endOfMonth(PARTITIONS_AHEAD_MONTHS - 1))
    return warn('audit log', `partitions ${text}`, remedy);
  return ok('audit log', `partitions ${text}`);
}
