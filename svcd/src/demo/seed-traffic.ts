import { entryDoc } from '@svc/service/audit-log/entry';
import { ensurePartitions } from '@svc/service/audit-log/partitions';
import { MINUTE_MS } from '@svc/service/config/time';
import { inTransaction } from '@svc/service/database/pool';
import { statement } from '@svc/service/database/statement';
import type pg from 'pg';
import { type ClientName, MADE_UP, type MadeUpRequest, madeUpRequests } from './traffic.ts';

const DEMO = 'background: once, when the demo is filled';

const selectAnyTraffic = statement('demo_any_traffic', DEMO)`
  select 1 from traffic where workspace_id = $1 limit 1`;

/** Whether the workspace has had a request, real or made up. */
export async function hasTraffic(pool: pg.Pool, workspaceId: string): Promise<boolean> {
  const { rowCount } = await pool.query(selectAnyTraffic(workspaceId));
  return rowCount !== 0;
}

/** The entries until the last made-up one are counted below, so the service does not count them again. */
const moveMark = statement('demo_usage_mark', DEMO)`
  insert into usage_marks as m (workspace_id, counted_until) values ($1, $2)
  on conflict (workspace_id) do update set counted_until = greatest(m.counted_until, excluded.counted_until)`;

const insertEntries = statement('demo_entries', DEMO)`
  insert into audit_log (workspace_id, id, created_at, kind, key_id, status, method, path, latency_bucket, doc)
  select $1, id, at, 'api.request', key_id, status, method, path, bucket, doc
  from unnest($2::text[], $3::timestamptz[], $4::text[], $5::smallint[], $6::text[], $7::text[], $8::smallint[], $9::text[])
    as e (id, at, key_id, status, method, path, bucket, doc)`;

const insertUsage = statement('demo_usage', DEMO)`
  with requests as materialized (
    select * from unnest($2::text[], $3::timestamptz[], $4::text[], $5::smallint[], $6::smallint[])
      as r (key_id, at, mode, status, bucket)
  ),
  days as (
    insert into key_usage as u (workspace_id, key_id, day, requests, errors, last_used_at)
    select $1, key_id, (at at time zone 'UTC')::date, count(*), count(*) filter (where status >= 400),
      date_trunc('minute', max(at))
    from requests group by 2, 3
    on conflict (workspace_id, key_id, day) do update set requests = u.requests + excluded.requests,
      errors = u.errors + excluded.errors, last_used_at = greatest(u.last_used_at, excluded.last_used_at)
  )
  insert into traffic as t (workspace_id, hour, mode, bucket, requests, errors)
  select $1, date_trunc('hour', at), mode, bucket, count(*), count(*) filter (where status >= 400)
  from requests group by 2, 3, 4
  on conflict (workspace_id, hour, mode, bucket) do update
    set requests = t.requests + excluded.requests, errors = t.errors + excluded.errors`;

const countMonth = statement('demo_month', DEMO)`
  update live_meters set month = $2, live_requests = $3 + case when month = $2 then live_requests else 0 end
  where workspace_id = $1`;

/** Also the entry of the creation, so that the log agrees with the list of keys. */
const moveCreation = statement('demo_key_creation', DEMO)`
  with keys as (
    update api_keys set created_at = $3::timestamptz where workspace_id = $1 and id = any ($2::text[])
  )
  update audit_log
  set created_at = $3::timestamptz, doc = regexp_replace(doc, '"createdAt":"[^"]*"', '"createdAt":"' || $4::text || '"')
  where workspace_id = $1 and kind = 'key.created' and key_id = any ($2::text[])`;

/**
 * Writes the made-up requests of the last 90 days: entries of the log, usage, traffic and the count of the month, as if the
 * service had served them. `keys`: the ids of the keys by the names of the clients. The keys become older than their first
 * request.
 */
export async function seedTraffic(
  pool: pg.Pool,
  workspaceId: string,
  keys: ReadonlyMap<ClientName, string>,
  nowMs: number,
): Promise<void> {
  const requests = madeUpRequests(nowMs);
  const live = requests.filter(({ mode }) => mode === 'live');
  const idOf = ({ client }: MadeUpRequest): string => keys.get(client) ?? '';
  const [first, last] = [requests[0], live.at(-1)];
  if (first === undefined || last === undefined) return;
  const created = timeOf({ atMs: first.atMs - MINUTE_MS });
  // It creates the months after this time, too.
  await ensurePartitions(pool, Date.parse(created));
  const month = `${new Date(nowMs).toISOString().slice(0, 7)}-01`;
  const ofMonth = live.filter(({ atMs }) => atMs >= Date.parse(month)).length;
  await inTransaction(pool, async (client) => {
    await client.query(moveMark(workspaceId, timeOf(last)));
    const docs = live.map((request) => entryDoc(entryOf(request, idOf(request))));
    await client.query(
      insertEntries(
        workspaceId,
        docs.map(({ id }) => id),
        live.map(timeOf),
        live.map(idOf),
        live.map(({ status }) => status),
        live.map(({ method }) => method),
        live.map(({ path }) => path),
        live.map(({ bucket }) => bucket),
        docs.map(({ head, tail }, i) => head + timeOf(live[i] ?? last) + tail),
      ),
    );
    await client.query(
      insertUsage(
        workspaceId,
        requests.map(idOf),
        requests.map(timeOf),
        requests.map(({ mode }) => mode),
        requests.map(({ status }) => status),
        requests.map(({ bucket }) => bucket),
      ),
    );
    await client.query(countMonth(workspaceId, month, ofMonth));
    // The clock of the log is locked before keys, as everywhere.
    await client.query(moveCreation(workspaceId, [...keys.values()], created, created));
  });
}

/** In the form of the log, with six fractional digits. */
const timeOf = ({ atMs }: Pick<MadeUpRequest, 'atMs'>): string =>
  new Date(atMs).toISOString().replace('Z', '000Z');

const entryOf = ({ method, path, status, durationMs, ip }: MadeUpRequest, keyId: string) =>
  ({
    kind: 'api.request',
    keyId,
    actor: null,
    method,
    path,
    status,
    durationMs,
    ip,
    userAgent: MADE_UP,
  }) as const;
