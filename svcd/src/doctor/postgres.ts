import { counted } from '@svc/service/config/plural';
import { statement } from '@svc/service/database/statement';
import pg from 'pg';
import { type Finding, ok, warn } from './check.ts';

/** The newest server that the tests run on. */
const NEWEST_MAJOR = 18;
const PER_MAJOR = 10_000;
const KIB_PER_PAGE = 8;
const KIB_PER_MIB = 1024;
/** The default of PostgreSQL, which suits a machine of 1 GiB. */
const SHARED_BUFFERS_MIN_MIB = 128;
const CHECKPOINT_MIN_SECONDS = 300;
const WAL_MIN_MIB = 1024;
/** The default of PostgreSQL: the price of a jump on a hard disk. */
const HARD_DISK_PAGE_COST = 4;
const INSERT_SCALE_MAX = 0.2;
/** PostgreSQL refuses to write at about 2,100 million; autovacuum prevents it from 200 million on. */
const TRANSACTIONS_WARN = 500_000_000;
const DEAD_ROWS_MIN = 100_000;
const DEAD_PART_MAX = 0.3;

const CHECK = 'postgresql';

const selectSettings = statement('server_settings', 'control')`
  select current_setting('server_version_num')::int as version, json_object_agg(name, setting) as settings,
    (select age(datfrozenxid)::int from pg_database where datname = current_database()) as transactions
  from pg_settings where name in ('random_page_cost', 'jit', 'synchronous_commit', 'autovacuum',
    'autovacuum_vacuum_insert_scale_factor', 'shared_buffers', 'checkpoint_timeout', 'max_wal_size')`;

const selectDeadRows = statement('dead_rows', 'background: svcd doctor reads the statistics of all tables')`
  select relname as table, n_dead_tup::float8 as dead, last_autovacuum::date::text as vacuumed
  from pg_stat_user_tables where n_dead_tup > $1 and n_dead_tup > $2::float8 * n_live_tup order by n_dead_tup desc limit 1`;

interface Server {
  readonly version: number;
  readonly settings: Readonly<Record<string, string>>;
  readonly transactions: number;
}

/**
 * Checks the settings of an external server, each with what it costs. A warning never fails the command: the service works,
 * but slower, or not for ever.
 */
export async function checkPostgres(pool: pg.Pool): Promise<readonly Finding[]> {
  const client = await pool.connect();
  try {
    const server = await readServer(client);
    const { rows } = await client.query<DeadRows>(selectDeadRows(DEAD_ROWS_MIN, DEAD_PART_MAX));
    const warnings = [
      ...(server.version >= (NEWEST_MAJOR + 1) * PER_MAJOR ? [newer(server.version)] : []),
      ...checkSettings(server),
      ...rows.map(deadRows),
    ];
    return warnings.length > 0 ? warnings : [ok(CHECK, `its settings suit the service${inSessions(server)}`)];
  } finally {
    client.release();
  }
}

/** Reads the settings in a session of its own: those of the pool have the settings of the service. */
async function readServer(pooled: pg.ClientBase): Promise<Server> {
  const { host, port, user, password, database, ssl } = pooled as pg.Client;
  const plain = new pg.Client({ host, port, user, password, database, ssl, application_name: 'svcd doctor' });
  plain.on('error', () => undefined);
  await plain.connect();
  try {
    const { rows } = await plain.query<Server>(selectSettings());
    const [server] = rows;
    if (server === undefined) throw new Error('the server has not returned its settings');
    return server;
  } finally {
    await plain.end();
  }
}

function checkSettings({ settings, transactions }: Server): readonly Finding[] {
  const number = (name: string): number => Number(settings[name]);
  const findings: Finding[] = [];
  const unless = (fine: boolean, text: string, remedy: string): void => {
    if (!fine) findings.push(warn(CHECK, text, remedy));
  };
  const set = (name: string, value: string): string =>
    `alter system set ${name} = ${value}; select pg_reload_conf()`;
  unless(
    number('random_page_cost') < HARD_DISK_PAGE_COST,
    `random_page_cost = ${settings['random_page_cost']} is the price of a hard disk: other programs' queries and the jobs avoid indexes`,
    `on an SSD: ${set('random_page_cost', '1.1')}`,
  );
  unless(
    settings['autovacuum'] === 'on',
    'autovacuum = off: tables grow without end, and at last the server refuses to write',
    set('autovacuum', 'on'),
  );
  unless(
    number('autovacuum_vacuum_insert_scale_factor') <= INSERT_SCALE_MAX,
    `autovacuum_vacuum_insert_scale_factor = ${settings['autovacuum_vacuum_insert_scale_factor']}: the audit log is vacuumed late, and then for long`,
    set('autovacuum_vacuum_insert_scale_factor', '0.05'),
  );
  const buffersMib = (number('shared_buffers') * KIB_PER_PAGE) / KIB_PER_MIB;
  unless(
    buffersMib >= SHARED_BUFFERS_MIN_MIB,
    `shared_buffers = ${buffersMib} MiB: pages are read from the disk again and again`,
    "alter system set shared_buffers = '25 % of the memory, such as 4GB', then restart the server",
  );
  unless(
    number('checkpoint_timeout') >= CHECKPOINT_MIN_SECONDS && number('max_wal_size') >= WAL_MIN_MIB,
    `checkpoint_timeout = ${settings['checkpoint_timeout']} s, max_wal_size = ${settings['max_wal_size']} MiB: after each ` +
      'checkpoint, the first change of a page writes all of it to the log',
    `${set('checkpoint_timeout', "'15min'")}; ${set('max_wal_size', "'4GB'")}`,
  );
  unless(
    transactions < TRANSACTIONS_WARN,
    `the oldest transaction id is ${transactions} transactions old; at about 2,100,000,000 the server refuses to write`,
    'end old transactions and prepared ones, drop unused replication slots, then run: vacuum (freeze)',
  );
  return findings;
}

interface DeadRows {
  readonly table: string;
  readonly dead: number;
  readonly vacuumed: string | null;
}

const deadRows = ({ table, dead, vacuumed }: DeadRows): Finding =>
  warn(
    CHECK,
    `${table} has ${counted(dead, 'dead row', 'dead rows')}, which each scan reads; autovacuum ran last: ${vacuumed ?? 'never'}`,
    `end long transactions and drop unused replication slots, then run: vacuum ${table}`,
  );

const newer = (version: number): Finding =>
  warn(
    CHECK,
    `PostgreSQL ${Math.floor(version / PER_MAJOR)} is newer than this program: it was tested on 15 to ${NEWEST_MAJOR}`,
    'use a newer release of svc, or PostgreSQL 18',
  );

/** What the service overrides, so that an operator need not. */
function inSessions({ settings }: Server): string {
  const overridden = [
    ...(settings['jit'] === 'on' ? ['jit'] : []),
    ...(settings['synchronous_commit'] === 'off' ? ['synchronous_commit'] : []),
  ];
  return overridden.length === 0 ? '' : `; its sessions override ${overridden.join(' and ')}`;
}
