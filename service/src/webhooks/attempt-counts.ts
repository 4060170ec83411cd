import type { Queryable } from '@svc/turns/lane';
import { statement } from '../database/statement.ts';
import type { EndpointKey } from './leases.ts';

/** Attempts of a span of time whose durations are in one bucket (@svc/latency-buckets). */
export interface AttemptCount {
  /** Start of the span in milliseconds. */
  readonly at: number;
  readonly bucket: number;
  readonly delivered: number;
  readonly failed: number;
}

// A row per hour and bucket, so at most about 60 for each hour of the range.
const selectAttempts = statement('attempts_of_endpoint', 'bulk')`
  select (extract(epoch from date_trunc($4, hour, 'UTC')) * 1000)::bigint as at, bucket,
    sum(delivered)::bigint as delivered, sum(failed)::bigint as failed
  from webhook_attempts where workspace_id = $1 and endpoint_id = $2 and hour >= $3 group by 1, bucket`;

/** The attempts of an endpoint since a time, per hour or day (UTC). */
export async function readAttempts(
  connections: Queryable,
  { workspaceId, id }: EndpointKey,
  { fromMs, step }: { readonly fromMs: number; readonly step: 'hour' | 'day' },
): Promise<readonly AttemptCount[]> {
  const from = new Date(fromMs).toISOString();
  const { rows } = await connections.query<AttemptCount>(selectAttempts(workspaceId, id, from, step));
  return rows;
}
