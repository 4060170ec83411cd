-- What the dashboard filters the audit log by, and what its overview shows of the traffic.

-- Of an api.request alone; null elsewhere.
alter table audit_log
  add column status smallint,
  add column method text collate "C",
  add column path text collate "C";

update audit_log set
  status = (doc::json ->> 'status')::smallint,
  method = doc::json ->> 'method',
  path = doc::json ->> 'path'
where kind = 'api.request';

-- Requests per hour (UTC), live and test, by how long they took: written with the audit entries, so a plot of a month
-- reads some thousand rows however large the log is, and sandbox requests, which make no entry, are in it too.
create table traffic (
  workspace_id text collate "C" not null references workspaces on delete cascade,
  hour timestamptz not null,
  mode text not null check (mode in ('live', 'test')),
  -- Of the latency in milliseconds (audit-log/latency.ts): exact to 15 ms, above that to an eighth.
  bucket smallint not null,
  requests bigint not null,
  errors bigint not null,
  primary key (workspace_id, hour, mode, bucket)
) with (fillfactor = 70);

insert into traffic (workspace_id, hour, mode, bucket, requests, errors)
select workspace_id, hour, 'live', bucket, count(*), count(*) filter (where status >= 400)
from (
  select workspace_id, status, date_trunc('hour', created_at at time zone 'UTC') at time zone 'UTC' as hour,
    case when ms < 16 then ms
      else floor(log(2, ms))::int * 4 + floor(ms * 4 / 2 ^ floor(log(2, ms)))::int - 4 end as bucket
  from audit_log, lateral (select (doc::json ->> 'durationMs')::int as ms) latency
  where kind = 'api.request' and ms is not null
) measured
join workspaces on workspaces.id = measured.workspace_id
group by 1, 2, 4;
