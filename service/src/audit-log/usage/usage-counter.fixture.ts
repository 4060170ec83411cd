import { testLanes } from '../../../test/harness/database.ts';
import type { TestService } from '../../../test/harness/service.ts';
import type { Lanes } from '../../database/lanes.ts';
import { createUsageCounter } from './usage-counter.ts';

/** A counter of another process on the same database, and its warnings. */
export function newCounter(
  service: TestService,
  lanes: Pick<Lanes, 'writes' | 'isDistributed' | 'workspaceNodes'> = testLanes(service.database),
) {
  const warnings: unknown[] = [];
  const counter = createUsageCounter(lanes, { warn: (...args: unknown[]) => void warnings.push(args) });
  return { counter, warnings };
}

/** What is counted of a workspace, and what its entries add up to. */
export async function sumsOf({ pool }: TestService, workspaceId: string) {
  const { rows } = await pool.query<{ usage: string; traffic: string; entries: string }>(
    `select (select json_build_array(coalesce(sum(requests), 0), coalesce(sum(errors), 0)) from key_usage where workspace_id = $1)::text as usage,
       (select json_build_array(coalesce(sum(requests), 0), coalesce(sum(errors), 0)) from traffic where workspace_id = $1 and mode = 'live')::text as traffic,
       (select json_build_array(count(*), count(*) filter (where status >= 400)) from audit_log
        where workspace_id = $1 and kind = 'api.request')::text as entries`,
    [workspaceId],
  );
  const [sums] = rows;
  if (sums === undefined) throw new Error('there is no row');
  return { usage: sums.usage, traffic: sums.traffic, entries: sums.entries };
}

/** Entries that no process has noted. */
export async function insertEntries(service: TestService, workspaceId: string, count: number): Promise<void> {
  const { keyId } = await service.issue(workspaceId);
  await service.pool.query(
    `insert into audit_log (workspace_id, id, created_at, kind, key_id, doc, status, latency_bucket)
     select $1, 'log_' || n, last_entry_at + n * interval '1 microsecond', 'api.request', $2, '{}', 200, 3
     from live_meters, generate_series(1, $3) n where workspace_id = $1`,
    [workspaceId, keyId, count],
  );
}

/** A request with a test key. */
export const testRequest = (workspaceId: string, keyId: string) => ({
  workspaceId,
  keyId,
  tokenVersion: 1,
  entry: null,
  counted: false,
  failed: true,
  durationMs: 7,
});
