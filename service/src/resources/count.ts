import type { Count } from '@svc/sdk';
import type pg from 'pg';
import type { Scope } from '../list/read.ts';
import { WHOLE_WORKSPACE } from '../records/counters.ts';

/**
 * Counts audits (specification, 4.3). Approximate: the kept counter, one row at any size. Exact: counts the rows.
 */
export async function readCount(pool: pg.Pool, scope: Scope, approximate: boolean): Promise<Count> {
  const count = approximate ? await keptCount(pool, scope) : await exactCount(pool, scope);
  return { count, approximate };
}

async function keptCount(pool: pg.Pool, { workspaceId, companyId }: Scope): Promise<number> {
  const { rows } = await pool.query<{ records: number }>({
    name: 'kept_count',
    text: `select records from record_counts where workspace_id = $1 and resource = 'audits' and company_id = $2`,
    values: [workspaceId, companyId ?? WHOLE_WORKSPACE],
  });
  return rows[0]?.records ?? 0;
}

async function exactCount(pool: pg.Pool, { workspaceId, companyId }: Scope): Promise<number> {
  const { rows } = await pool.query<{ records: number }>(
    `select count(*) as records from audits where workspace_id = $1${companyId === null ? '' : ' and company_id = $2'}`,
    companyId === null ? [workspaceId] : [workspaceId, companyId],
  );
  return rows[0]?.records ?? 0;
}
