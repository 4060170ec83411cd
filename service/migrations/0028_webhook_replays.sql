-- Test events are sent before what waits in its order.
create index webhook_deliveries_tests on webhook_deliveries (workspace_id, endpoint_id)
  where state = 'pending' and type = 'endpoint.test';

-- A delivery that is replayed has its last attempt until the next one. One that was never sent has none.
create or replace view webhook_delivery_records as
select workspace_id, endpoint_id, event_id as id, created_at, state, type,
  json_build_object(
    'id', event_id, 'type', type, 'state', state, 'attempts', attempts, 'status', status, 'failure', failure,
    'durationMs', duration_ms,
    'createdAt', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    'attemptedAt', case when status is not null or failure is not null
      then to_char(attempted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') end,
    'nextAttemptAt', to_char(next_attempt_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
  )::text as doc
from webhook_deliveries;
