-- Receivers of webhooks (docs/decisions/0025).
create table webhook_endpoints (
  workspace_id text collate "C" not null references workspaces on delete cascade,
  id text collate "C" not null,
  url text not null,
  description text not null,
  -- The types of changes that it gets. Null: all.
  types text[] collate "C",
  -- The company whose changes it gets. Null: all.
  company_id text collate "C",
  -- Whether a change waits until the one before it is delivered.
  ordered boolean not null,
  -- Sealed (webhooks/sealed-secrets.ts). The previous secret signs too until `previous_until`.
  secret text not null,
  previous_secret text,
  previous_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  enabled boolean not null default true,
  -- Why the service has disabled it, and when. Null: it did not.
  disabled_reason text,
  disabled_at timestamptz,
  -- The last change of the feed that is accounted for: it was left out, or has a row in webhook_deliveries.
  position text collate "C" not null,
  -- The first attempt since which every attempt failed.
  failing_since timestamptz,
  -- The process that delivers, and until when no other process does.
  lease_owner text,
  lease_until timestamptz not null default '-infinity',
  primary key (workspace_id, id)
) with (fillfactor = 50);
create index webhook_endpoints_free on webhook_endpoints (lease_until) where enabled;

-- What was sent to a receiver, or is to be sent again.
create table webhook_deliveries (
  workspace_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  event_id text collate "C" not null,
  type text collate "C" not null,
  state text collate "C" not null check (state in ('delivered', 'pending', 'failed')),
  attempts smallint not null,
  -- Of the last attempt: status and first kilobyte of the response, or why there was none.
  status smallint,
  response text,
  failure text,
  duration_ms integer not null,
  attempted_at timestamptz not null,
  next_attempt_at timestamptz check ((next_attempt_at is not null) = (state = 'pending')),
  -- The bytes to send again. Null: it was delivered.
  body bytea check ((body is null) = (state = 'delivered')),
  primary key (workspace_id, endpoint_id, event_id),
  foreign key (workspace_id, endpoint_id) references webhook_endpoints on delete cascade
);
create index webhook_deliveries_pending on webhook_deliveries (workspace_id, endpoint_id, next_attempt_at)
  where state = 'pending';
create index webhook_deliveries_by_age on webhook_deliveries (attempted_at);
