import type pg from 'pg';

/** Every row of every table, or of those that are named, as text; equal dumps mean that nothing has changed. */
export async function dumpOf(
  pool: pg.Pool,
  only?: readonly string[],
): Promise<Readonly<Record<string, readonly string[]>>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
  );
  const dump: Record<string, readonly string[]> = {};
  for (const { name } of tables.filter((table) => only === undefined || only.includes(table.name))) {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${name} t order by 1`);
    dump[name] = rows.map(({ row }) => row);
  }
  return dump;
}
