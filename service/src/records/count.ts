import type { Count } from '@svc/sdk';
import type { Queryable, Shares } from '../database/lane.ts';
import type { Scope } from '../list/read.ts';
import { WHOLE_WORKSPACE } from './counters.ts';

export interface CountReader {
  readonly reads: Shares;
  /** For what takes longer, the more there is. */
  readonly slow: Shares;
}

/**
 * Counts audits (specification, 4.3). Approximate: the kept counter, one row at any size. Exact: counts the rows.
 */
export async function readCount(
  { reads, slow }: CountReader,
  scope: Scope,
  approximate: boolean,
): Promise<Count> {
  const count = approximate
    ? await keptCount(reads.of(scope.workspaceId), scope)
    : await exactCount(slow.of(scope.workspaceId), scope);
  return { count, approximate };
}

async function keptCount(connections: Queryable, { workspaceId, companyId }: Scope): Promise<number> {
  const { rows } = await connections.query<{ records: number }>({
    name: 'kept_count',
    text: `select records from record_counts where workspace_id = $1 and resource = 'audits' and company_id = $2`,
    values: [workspaceId, companyId ?? WHOLE_WORKSPACE],
  });
  return rows[0]?.records ?? 0;
}

async function exactCount(connections: Queryable, { workspaceId, companyId }: Scope): Promise<number> {
  const { rows } = await connections.query<{ records: number }>(
    `select count(*) as records from audits where workspace_id = $1${companyId === null ? '' : ' and company_id = $2'}`,
    companyId === null ? [workspaceId] : [workspaceId, companyId],
  );
  return rows[0]?.records ?? 0;
}
