import type { Scenario } from './scenario.ts';

const BYTES_MAX = 700;

/**
 * The size of the audits on disk, with each index and their part of the change feed. The feed's rows of one change, such as
 * those of content, are larger than those of imports, so each resource has the part that its bytes are of all.
 */
export const disk: Scenario = async ({ target: { database }, report }) => {
  const { rows } = await database.client.query<{ relation: string; bytes: number }>(`
    select relation, (size / greatest(1, (select count(*) from audits)))::float8 as bytes
    from (
      select 'audits'::regclass as relation, pg_table_size('audits') as size
      union all
      select indexrelid, pg_relation_size(indexrelid) from pg_index where indrelid = 'audits'::regclass
      union all
      select 'changes'::regclass, pg_total_relation_size('changes') * (
        select sum(pg_column_size(c)) filter (where type = 'audit.created')::float8 / sum(pg_column_size(c)) from changes c)
    ) part order by bytes desc`);
  for (const { relation, bytes } of rows) report.verdict(`${relation}, per audit`, [bytes], null, 'bytes');
  report.verdict(
    'all of it, per audit',
    [rows.reduce((sum, { bytes }) => sum + bytes, 0)],
    { most: BYTES_MAX },
    'bytes',
  );
};
