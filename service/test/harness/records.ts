import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { ensurePartitions } from '../../src/audit-log/partitions.ts';
import type { Resource } from '../../src/resources/define.ts';
import { columnName } from '../../src/resources/define.ts';
import { RESOURCES } from '../../src/resources/index.ts';

/**
 * Rows as a test wants them, written by SQL past the write side: with a created_at of its own, also one that
 * another row has, which the write side never gives. Not for what the write side must keep true (the counters).
 */
export interface SeedRow {
  readonly id: string;
  /** ISO 8601; also for resources that do not show it. */
  readonly createdAt: string;
  /** Other wire fields; those left out have the declaration's example. */
  readonly [field: string]: unknown;
}

/** The declaration of a resource by its name. */
export function resourceNamed(name: string): Resource {
  const found = RESOURCES.find((resource) => resource.name === name);
  if (found === undefined) throw new Error(`there is no resource ${name}`);
  return found;
}

/** A record as its list shows it: the seed over the declaration's examples. */
function wireRecord({ fields }: Resource, seed: SeedRow): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, name in seed ? seed[name] : field.example]),
  );
}

/** The table that the list's rows are in; lists of keys and entries read views. */
export const tableOf = ({ name, list }: Resource): string =>
  ({ 'api-keys': 'api_keys', 'audit-log': 'audit_log' })[name] ?? list.relation;

/** Writes rows of any list; companies that they name must exist. */
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
  await pool.query(
    `insert into ${table} select * from json_populate_recordset(null::${table}, $1) order by created_at, id`,
    [JSON.stringify(rows.map((row) => tableRow(workspaceId, resource, row)))],
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
    // What the table of keys has and the wire does not.
    token_index: bytea(32),
    salt: bytea(16),
    salted_hash: bytea(32),
    token_version: 1,
  };
}

const bytea = (bytes: number): string => `\\x${randomBytes(bytes).toString('hex')}`;
