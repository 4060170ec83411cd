import type { Scenario } from './scenario.ts';

const BYTES_MAX = 700;

/** The size of the audits on disk, with each index. */
export const disk: Scenario = async ({ target: { database }, report }) => {
  const { rows } = await database.client.query<{ relation: string; bytes: number }>(`
    select relation, (size / greatest(1, (select count(*) from audits)))::float8 as bytes
    from (
      select 'audits'::regclass as relation, pg_table_size('audits') as size
      union all
      select indexrelid, pg_relation_size(indexrelid) from pg_index where indrelid = 'audits'::regclass
    ) part order by bytes desc`);
  for (const { relation, bytes } of rows) report.verdict(`${relation}, per audit`, [bytes], null, 'bytes');
  report.verdict(
    'all of it, per audit',
    [rows.reduce((sum, { bytes }) => sum + bytes, 0)],
    { most: BYTES_MAX },
    'bytes',
  );
};
