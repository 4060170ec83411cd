import type pg from 'pg';

/** Every row of every table, or of the named tables, as text. Equal dumps mean that nothing has changed. */
export async function dumpOf(
  pool: pg.Pool,
  only?: readonly string[],
): Promise<Readonly<Record<string, readonly string[]>>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
  );
  const names = tables.map(({ name }) => name).filter((name) => only === undefined || only.includes(name));
  // One statement, so that all tables are from one snapshot.
  const { rows } = await pool.query<{ name: string; row: string }>(
    `${names.map((name) => `select '${name}' as name, t::text as row from ${name} t`).join(' union all ')} order by 1, 2`,
  );
  const dump: Record<string, string[]> = Object.fromEntries(names.map((name) => [name, []]));
  for (const { name, row } of rows) dump[name]?.push(row);
  return dump;
}
