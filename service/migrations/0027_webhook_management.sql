-- Webhooks are managed in the dashboard (docs/decisions/0027).

-- The feed is sent again from this position: the next round of the endpoint starts there. Null: nothing is sent again.
alter table webhook_endpoints add column replay_from text collate "C";
-- A person deleted it. A job removes it and its deliveries, of which there may be many.
alter table webhook_endpoints add column deleted_at timestamptz;
create index webhook_endpoints_deleted on webhook_endpoints (deleted_at) where deleted_at is not null;

-- When the endpoint got the event for the first time. Deliveries have this order, then that of their ids.
alter table webhook_deliveries add column created_at timestamptz not null default now();
create index webhook_deliveries_by_time on webhook_deliveries (workspace_id, endpoint_id, created_at, event_id);
create index webhook_deliveries_by_state on webhook_deliveries (workspace_id, endpoint_id, state, created_at, event_id);

-- The list of deliveries. One that was not sent yet has the time of the request that caused it in `attempted_at`.
create view webhook_delivery_records as
select workspace_id, endpoint_id, event_id as id, created_at, state, type,
  json_build_object(
    'id', event_id, 'type', type, 'state', state, 'attempts', attempts, 'status', status, 'failure', failure,
    'durationMs', duration_ms,
    'createdAt', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    'attemptedAt', case when attempts > 0
      then to_char(attempted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') end,
    'nextAttemptAt', to_char(next_attempt_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
  )::text as doc
from webhook_deliveries;

-- Attempts of an endpoint by the hour and by the bucket of their duration.
create table webhook_attempts (
  workspace_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  hour timestamptz not null,
  bucket smallint not null,
  delivered integer not null,
  failed integer not null,
  primary key (workspace_id, endpoint_id, hour, bucket),
  foreign key (workspace_id, endpoint_id) references webhook_endpoints on delete cascade
) with (fillfactor = 50);
create index webhook_attempts_by_hour on webhook_attempts (hour);
