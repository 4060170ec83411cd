import { excludeBackups } from '@svc/database-copy/lock';
import { FIXED_SETTINGS } from '@svc/postgres-sessions';
import type { Queryable } from '@svc/turns/lane';
import pg from 'pg';
import { OperatorError } from '../../config/errors.ts';
import { NODES_MAX } from '../../config/limits.ts';
import { inTransaction } from '../pool.ts';
import { statement, statements } from '../statement.ts';
import {
  DISTRIBUTED_FUNCTIONS,
  LOCAL_TRIGGERS,
  TABLE_PLACEMENTS,
  type TablePlacement,
  workspaceColumn,
} from './placements.ts';

/** A table after a call. `moved`: the call gave it its place; otherwise it had it before. */
export interface PlacedTable {
  readonly table: string;
  readonly placement: TablePlacement;
  readonly moved: boolean;
}

const GROUP = 'background: a migration runs it once for each table';
const placing = statements('place_tables', GROUP);

// Before 13.1, the coordinator does not hand over the defaults of a database to the workers.
const selectCitus = statement('citus_version', 'control')`
  select extversion as version, string_to_array(split_part(extversion, '-', 1), '.')::int[] < '{13,1}' as old
  from pg_extension where extname = 'citus'`;
const selectNodes = statement('citus_nodes', GROUP)`
  select count(*)::int as nodes from pg_dist_node where isactive and shouldhaveshards and noderole = 'primary'`;
// The view citus_tables would also measure the size of each table, on all nodes.
const selectPlaced = statement('placed_tables', GROUP)`
  select c.relname as table, p.partmethod = 'h' as divided, p.repmodel = 't' as everywhere
  from pg_class c left join pg_dist_partition p on p.logicalrelid = c.oid
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`;

interface PlacedRow {
  readonly table: string;
  /** Null: the table is only on the coordinator, as PostgreSQL creates it. */
  readonly divided: boolean | null;
  readonly everywhere: boolean | null;
}

const selectDatabase = statement('name_of_database', 'control')`select current_database() as name`;
const selectFunctions = statement('undistributed_functions', GROUP)`
  select p.proname as name, p.oid::regprocedure::text as signature
  from pg_proc p left join pg_dist_object o on o.classid = 'pg_proc'::regclass and o.objid = p.oid
  where p.proname = any($1) and p.pronamespace = current_schema()::regnamespace and o.distribution_argument_index is null`;
const placeFunction = statement('distribute_function', GROUP)`
  select create_distributed_function($1::regprocedure, $2, colocate_with => 'workspaces')`;

const settings = statement('settings_of_placing', 'control')`
  set local client_min_messages = warning; set local citus.multi_shard_modify_mode = 'sequential';
  set local citus.enable_unsafe_triggers = on`;
// Waits for the transaction of a migration, and lets no other begin.
const lockMigrations = statement('lock_migrations', 'control')`
  set local statement_timeout = 0; set local lock_timeout = 0; lock table schema_migrations in share row exclusive mode`;

/** Foreign keys and triggers of tables, without those of partitions, and the SQL that creates them. */
const selectAttached = statement('constraints_and_triggers', GROUP)`
  select conrelid::regclass::text as table, conname as name, 'constraint' as kind,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as sql
  from pg_constraint where contype = 'f' and conparentid = 0
    and (conrelid = any($1::regclass[]) or confrelid = any($1::regclass[]))
  union all
  select tgrelid::regclass::text, tgname, 'trigger', pg_get_triggerdef(oid)
  from pg_trigger where not tgisinternal and tgparentid = 0 and tgrelid = any($1::regclass[])
  order by kind, name`;

interface Attached {
  readonly table: string;
  readonly name: string;
  readonly kind: 'constraint' | 'trigger';
  readonly sql: string;
}

const isLocalTrigger = ({ name, kind }: Attached): boolean =>
  kind === 'trigger' && LOCAL_TRIGGERS.includes(name);

/** Undefined: a plain PostgreSQL. `version`: such as `13.2-1`. */
async function findCitus(client: Queryable) {
  const { rows } = await client.query<{ version: string; old: boolean }>(selectCitus());
  return rows[0];
}

/**
 * Gives each table its place in a cluster of Citus and moves its rows there, in one transaction: after a failure, or if a
 * process is killed, all is as before. A repeat does what is left, and gives new workers the settings of the database.
 * Throws OperatorError if the database is no coordinator with workers, if its Citus is too old, if the cluster has more than
 * NODES_MAX nodes, or if a backup runs.
 */
export function distribute(pool: pg.Pool): Promise<readonly PlacedTable[]> {
  return inTransaction(pool, async (client) => {
    const citus = await findCitus(client);
    if (citus === undefined)
      throw new OperatorError(
        'this database is a plain PostgreSQL without the extension citus, so there is no cluster for its tables. ' +
          'docs/scale.md says how to set one up.',
      );
    if (citus.old)
      throw new OperatorError(`the service needs Citus 13.1 or newer, and this is ${citus.version}`);
    const { rows } = await client.query<{ nodes: number }>(selectNodes());
    const nodes = rows[0]?.nodes ?? 0;
    if (nodes === 0)
      throw new OperatorError('the cluster has no worker: add one on its coordinator with citus_add_node');
    if (nodes > NODES_MAX)
      throw new OperatorError(
        `the cluster has ${nodes} nodes with data, and the service supports at most ${NODES_MAX}. Remove the others on ` +
          'its coordinator, with citus_drain_node and citus_remove_node.',
      );
    await client.query(lockMigrations());
    if (!(await excludeBackups(client)))
      throw new OperatorError('a backup of the database runs (svcd backup). Try again when it has ended.');
    await setDefaults(client);
    return placeTables(client, await readPlaced(client));
  });
}

/**
 * Without it, a transaction that has read several shards cannot write a reference table. To accept an invitation does both.
 */
const SEQUENTIAL = ['citus.multi_shard_modify_mode', 'sequential'] as const;

/**
 * Makes the settings of our sessions defaults of the database, on all nodes: the coordinator does not hand over those of a
 * session. Without them, a worker may read and sort a whole workspace for one page, and writes times in its own zone.
 */
async function setDefaults(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(selectDatabase());
  const database = pg.escapeIdentifier(rows[0]?.name ?? '');
  for (const [name, value] of [...FIXED_SETTINGS, SEQUENTIAL])
    await run(client, `alter database ${database} set ${name} = ${pg.escapeLiteral(value)}`);
}

/** Lets the transaction of a migration change distributed tables. Returns false, and does nothing, in plain PostgreSQL. */
export async function allowDistributedChanges(client: Queryable): Promise<boolean> {
  const inCluster = (await findCitus(client)) !== undefined;
  if (inCluster) await client.query(settings());
  return inCluster;
}

/**
 * In a database that is distributed, gives the new tables of a migration their places, and removes its triggers that a
 * cluster does not have, in its transaction.
 */
export async function distributeNewTables(client: pg.ClientBase): Promise<void> {
  if ((await findCitus(client)) === undefined) return;
  const placed = await readPlaced(client);
  if (placed.get('workspaces') !== 'workspace') return;
  await placeTables(client, placed);
  const { rows } = await client.query<Attached>(selectAttached([...placed.keys()]));
  for (const { table, name } of rows.filter(isLocalTrigger))
    await run(client, `drop trigger ${pg.escapeIdentifier(name)} on ${table}`);
}

async function placeTables(
  client: pg.ClientBase,
  placed: ReadonlyMap<string, TablePlacement>,
): Promise<readonly PlacedTable[]> {
  const tables = Object.entries(TABLE_PLACEMENTS).filter(([table]) => placed.has(table));
  const left = tables.filter(([table, placement]) => placed.get(table) !== placement);
  if (left.length > 0) await moveTables(client, left);
  const { rows: functions } = await client.query<{ name: string; signature: string }>(
    selectFunctions(Object.keys(DISTRIBUTED_FUNCTIONS)),
  );
  for (const { name, signature } of functions) {
    // Citus stores another plan each time a statement runs: see docs/scale.md.
    await run(client, `alter function ${signature} set plan_cache_mode = force_custom_plan`);
    await client.query(placeFunction(signature, DISTRIBUTED_FUNCTIONS[name]));
  }
  return tables.map(([table, placement]) => ({
    table,
    placement,
    moved: left.some(([name]) => name === table),
  }));
}

async function moveTables(
  client: pg.ClientBase,
  tables: readonly (readonly [string, TablePlacement])[],
): Promise<void> {
  await client.query(settings());
  const { rows: attached } = await client.query<Attached>(selectAttached(tables.map(([table]) => table)));
  // A distributed table and a local one cannot refer to each other. Triggers would take moved rows for new ones.
  for (const { table, name, kind } of attached) {
    const quoted = pg.escapeIdentifier(name);
    await run(
      client,
      kind === 'trigger'
        ? `drop trigger ${quoted} on ${table}`
        : `alter table ${table} drop constraint ${quoted}`,
    );
  }
  // A cluster has no blocks of words: the triggers that keep them are dropped (docs/decisions/0040).
  if (tables.some(([table]) => table === 'word_blocks')) await run(client, 'truncate word_blocks');
  for (const [table, placement] of tables) await run(client, `select ${placeOf(table, placement)}`);
  for (const each of attached) if (!isLocalTrigger(each)) await run(client, each.sql);
  // The rows that were moved still take space on the coordinator, where nothing reads them.
  for (const [table] of tables)
    await run(client, `select truncate_local_data_after_distributing_table(${pg.escapeLiteral(table)})`);
}

function placeOf(table: string, placement: TablePlacement): string {
  const name = pg.escapeLiteral(table);
  if (placement === 'reference') return `create_reference_table(${name})`;
  const group = table === 'workspaces' ? 'none' : 'workspaces';
  return `create_distributed_table(${name}, '${workspaceColumn(table)}', colocate_with => '${group}')`;
}

/** The placements that tables have now. */
async function readPlaced(client: pg.ClientBase): Promise<ReadonlyMap<string, TablePlacement>> {
  const { rows } = await client.query<PlacedRow>(selectPlaced());
  return new Map(
    rows.map(({ table, divided, everywhere }) => [
      table,
      divided === true ? 'workspace' : everywhere === true ? 'reference' : 'local',
    ]),
  );
}

async function run(client: pg.ClientBase, sql: string): Promise<void> {
  await client.query(placing(`place_tables ${sql}`, sql)());
}
