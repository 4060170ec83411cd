import pg from 'pg';
import { CopyError } from '../errors.ts';
import type { Partition, TableStart } from '../stream/parts.ts';

/** The tables of the current schema that do not belong to an extension, without partitions. */
const TABLES = `
  select c.oid, c.relname, c.relkind from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and not exists (select from pg_depend d
      where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;

const selectNames = `select relname as name from (${TABLES}) t order by relname`;

// Generated columns are left out: the database computes them.
const selectTables = `
  select t.relname as name, t.relkind = 'p' as divided, array(select a.attname::text from pg_attribute a
      where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      order by a.attnum) as columns,
    array(select distinct p.relname::text from pg_constraint f join pg_class p on p.oid = f.confrelid
      where f.conrelid = t.oid and f.contype = 'f' and f.confrelid <> t.oid) as parents
  from (${TABLES}) t order by t.relname`;

const selectPartitions = `
  select t.relname as table, c.relname as name, c.relkind = 'p' as divided,
    pg_get_expr(c.relpartbound, c.oid) as bounds
  from (${TABLES}) t join pg_inherits i on i.inhparent = t.oid join pg_class c on c.oid = i.inhrelid
  order by t.relname, c.relname`;

/** The sequences that belong neither to a column nor to an extension. */
const selectSequences = `
  select c.relname as name from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind = 'S'
    and not exists (select from pg_depend d
      where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i', 'e'))`;

/** A table of a database. */
export interface Table extends TableStart {
  /** Whether only its partitions, of which there may be none, have rows. */
  readonly divided: boolean;
}

/** The names of all tables, in alphabetical order. */
export async function tableNames(client: pg.ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(selectNames);
  return rows.map(({ name }) => name);
}

/**
 * All tables, each after those that its foreign keys refer to. Throws CopyError for what a copy would lose or could not
 * restore: sequences without a column, foreign keys in a circle, and partitions that are not ranges of one column. A copy
 * lacks the value of a column's sequence, so a table that is restored must have none.
 */
export async function readTables(client: pg.ClientBase): Promise<readonly Table[]> {
  const sequences = await client.query<{ name: string }>(selectSequences);
  if (sequences.rows[0] !== undefined)
    throw new CopyError(`the sequence ${sequences.rows[0].name} cannot be copied: only tables can`);
  const { rows } = await client.query<{
    name: string;
    divided: boolean;
    columns: readonly string[];
    parents: readonly string[];
  }>(selectTables);
  const partitions = Map.groupBy(await readPartitions(client), ({ table }) => table);
  return parentsFirst(rows).map(({ name, divided, columns }) => ({
    name,
    divided,
    columns,
    partitions: (partitions.get(name) ?? []).map(({ partition }) => partition),
  }));
}

const BOUNDS = /^FOR VALUES FROM \('([^',]*)'\) TO \('([^',]*)'\)$/;

async function readPartitions(
  client: pg.ClientBase,
): Promise<readonly { readonly table: string; readonly partition: Partition }[]> {
  const { rows } = await client.query<{ table: string; name: string; divided: boolean; bounds: string }>(
    selectPartitions,
  );
  return rows.map(({ table, name, divided, bounds }) => {
    const [, from, to] = BOUNDS.exec(bounds) ?? [];
    if (divided || from === undefined || to === undefined)
      throw new CopyError(
        `the partition ${name} cannot be copied: it is not a range of one column (${bounds})`,
      );
    return { table, partition: { name, from, to } };
  });
}

function parentsFirst<T extends { readonly name: string; readonly parents: readonly string[] }>(
  tables: readonly T[],
): readonly T[] {
  const ordered: T[] = [];
  const placed = new Set<string>();
  const known = new Set(tables.map(({ name }) => name));
  while (ordered.length < tables.length) {
    const ready = tables.filter(
      ({ name, parents }) =>
        !placed.has(name) && parents.every((parent) => placed.has(parent) || !known.has(parent)),
    );
    if (ready.length === 0) {
      const left = tables.filter(({ name }) => !placed.has(name)).map(({ name }) => name);
      throw new CopyError(`foreign keys lead in a circle, so no order restores them: ${left.join(', ')}`);
    }
    for (const table of ready) {
      ordered.push(table);
      placed.add(table.name);
    }
  }
  return ordered;
}

/** Identifiers for SQL: `"id", "name"`. */
export const quoted = (...names: readonly string[]): string => names.map(pg.escapeIdentifier).join(', ');
