import type pg from 'pg';

/** Two live requests that are counted from their entries, and one of a test key, which has no entry. */
const USED_KEYS = `
  with keys as (
    insert into api_keys (workspace_id, id, name, mode, access, hint, token_index, salt, salted_hash, created_at)
    select $1, mode, mode, mode, 'read', 'k', (mode || $1)::bytea, '', '', '2026-01-01' from unnest(array['live', 'test']) mode
  ),
  times as (select n, last_entry_at - n * interval '1 microsecond' as at
    from live_meters, generate_series(0, 1) n where workspace_id = $1),
  entries as (
    insert into audit_log (workspace_id, id, created_at, kind, key_id, doc, status, latency_bucket)
    select $1, 'log_' || n, at - interval '1 microsecond', 'api.request', 'live', '{}', 200 + n * 300, 1 from times
  ),
  usage as (
    insert into key_usage (workspace_id, key_id, day, requests, errors, last_used_at)
    select $1, key, max(at)::date, count, errors, date_trunc('minute', max(at))
    from times, (values ('live', 2, 1), ('test', 1, 0)) as u (key, count, errors) group by key, count, errors
  )
  update usage_marks set counted_until = (select max(at) from times) where workspace_id = $1`;

/** Gives a workspace keys that were used. */
export async function useKeys(pool: pg.Pool, id: string): Promise<void> {
  await pool.query(USED_KEYS, [id]);
  // A cluster has no trigger for it.
  await pool.query(
    `insert into key_workspaces select (mode || $1)::bytea, $1 from unnest(array['live', 'test']) mode on conflict do nothing`,
    [id],
  );
}
