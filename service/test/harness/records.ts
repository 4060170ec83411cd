import { randomBytes } from 'node:crypto';
import type { Change } from '@svc/packed-changes';
import type pg from 'pg';
import { ensurePartitions } from '../../src/audit-log/partitions.ts';
import { appendChanges } from '../../src/changes/append.ts';
import { allocateTimestamps } from '../../src/changes/clock.ts';
import { inTransaction } from '../../src/database/pool.ts';
import type { Resource } from '../../src/resources/define.ts';
import { columnName } from '../../src/resources/define.ts';
import { RESOURCES } from '../../src/resources/index.ts';

/**
 * A row that a test inserts with SQL. So its created_at can be any time, even that of another row, which the service never
 * allows. This does not update the counters.
 */
export interface SeedRow {
  readonly id: string;
  /** ISO 8601. Also needed for resources without the field `createdAt`. */
  readonly createdAt: string;
  /** Other fields. Default: the example of the resource's definition. */
  readonly [field: string]: unknown;
}

/** The resource with this name. */
export function resourceNamed(name: string): Resource {
  const found = RESOURCES.find((resource) => resource.name === name);
  if (found === undefined) throw new Error(`there is no resource ${name}`);
  return found;
}

/** A key that is not paused and does not expire. */
const ACCEPTED = { expiresAt: null, pausedAt: null };

/** A record as lists return it: the values of the seed, and the examples of the definition for all other fields. */
function wireRecord({ fields }: Resource, given: SeedRow): Readonly<Record<string, unknown>> {
  const seed: SeedRow = { ...('pausedAt' in fields ? ACCEPTED : {}), ...given };
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, name in seed ? seed[name] : field.example]),
  );
}

/** The table with the rows of a list. The lists of keys and of audit entries read views of their tables. */
export const tableOf = ({ name, list }: Resource): string =>
  ({ 'api-keys': 'api_keys', 'audit-log': 'audit_log' })[name] ?? list.relation;

/** Inserts rows of any list. The companies that they name must exist. */
export async function seedRecords(
  pool: pg.Pool,
  workspaceId: string,
  resource: Resource,
  rows: readonly SeedRow[],
): Promise<void> {
  const table = tableOf(resource);
  if (resource.name === 'audit-log') {
    const months = new Set(rows.map(({ createdAt }) => createdAt.slice(0, 7)));
    for (const month of months) await ensurePartitions(pool, Date.parse(`${month}-01T00:00:00Z`));
  }
  await insertJson(
    pool,
    table,
    rows.map((row) => tableRow(workspaceId, resource, row)),
  );
}

/** Inserts rows with the columns that they name. A column that the table does not have is ignored. */
async function insertJson(pool: pg.Pool, table: string, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return;
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const { rows: columns } = await pool.query<{ name: string }>(
    `select quote_ident(attname) as name from pg_attribute
     where attrelid = $1::regclass and attname = any ($2) and attgenerated = ''`,
    [table, names],
  );
  const list = columns.map(({ name }) => name).join(', ');
  await pool.query(
    `insert into ${table} (${list}) select ${list} from json_populate_recordset(null::${table}, $1)`,
    [JSON.stringify(rows)],
  );
}

function tableRow(workspaceId: string, resource: Resource, seed: SeedRow): object {
  const wire = wireRecord(resource, seed);
  const columns = Object.fromEntries(Object.entries(wire).map(([name, value]) => [columnName(name), value]));
  return {
    ...columns,
    workspace_id: workspaceId,
    created_at: seed.createdAt,
    doc: JSON.stringify(wire),
    // Columns of the table of keys that the API does not return.
    token_index: bytea(32),
    salt: bytea(16),
    salted_hash: bytea(32),
    token_version: 1,
  };
}

const OF_COMPANIES = ['audits', 'mentions', 'content'];

/** SQL that counts the records of the workspace $1, as the counters should. */
export const TRUE_COUNTS = [
  ...[...OF_COMPANIES, 'companies'].map(
    (name) =>
      `select '${name}' as resource, '' as company_id, count(*) as records from ${name} where workspace_id = $1 having count(*) > 0`,
  ),
  ...OF_COMPANIES.map(
    (name) =>
      `select '${name}', company_id, count(*) from ${name} where workspace_id = $1 group by company_id`,
  ),
].join(' union all ');

const bytea = (bytes: number): string => `\\x${randomBytes(bytes).toString('hex')}`;

/** Appends changes to the feed of a workspace in one transaction, as a write does. */
export const seedChanges = (
  pool: pg.Pool,
  workspaceId: string,
  changes: readonly Omit<Change, 'at'>[],
): Promise<void> =>
  inTransaction(pool, async (client) => {
    const first = await allocateTimestamps(client, workspaceId, changes.length);
    await appendChanges(
      client,
      workspaceId,
      changes.map((change, i) => ({ ...change, at: first + i })),
    );
  });

/** Records that one statement adds to the index of the search. */
const INDEXED_RECORDS = 512;
const SEARCHED = RESOURCES.filter(({ list }) => list.searched).map(({ list }) => list.relation);

/** Adds the words of all records to the index of the search, as a job of the service does. */
export async function indexWords(pool: pg.Pool): Promise<void> {
  const { rows: workspaces } = await pool.query<{ id: string }>(
    'select workspace_id as id from workspace_clocks',
  );
  for (const { id } of workspaces) {
    for (let added = INDEXED_RECORDS; added >= INDEXED_RECORDS; ) {
      const { rows } = await pool.query<{ added: number | null }>(
        'select added from index_words($1, $2, $3, true)',
        [id, SEARCHED, INDEXED_RECORDS],
      );
      added = rows[0]?.added ?? INDEXED_RECORDS;
    }
  }
}
