-- API keys, the audit log, live quota and usage.

create table api_keys (
  workspace_id text collate "C" not null references workspaces on delete cascade,
  id text collate "C" not null,
  name text not null,
  mode text not null check (mode in ('live', 'test')),
  access text not null check (access in ('read', 'write')),
  -- The one company the key may see; null: all of the workspace. No foreign key: a company may go when its keys are
  -- revoked, and they stay in the list; who removes a company looks for keys that are not, under the clock's lock.
  company_id text collate "C",
  -- The prefix and the last four characters: all that people are ever shown again.
  hint text not null,
  -- HMAC of the token under the deployment's secret: finds the row, says nothing about the token.
  token_index bytea not null,
  salt bytea not null,
  salted_hash bytea not null,
  -- Rises with each rotation. A request that began with an older token is refused when its audit entry is written.
  token_version integer not null default 1,
  created_at timestamptz not null,
  -- To the minute, so that a busy key is not a busy row.
  last_used_at timestamptz,
  revoked_at timestamptz,
  primary key (workspace_id, id)
) with (fillfactor = 70);
-- Not unique: a unique index would have to start with the workspace, which is what the look-up is there to
-- find. 192 random bits do not collide.
create index api_keys_by_token_index on api_keys (token_index);
create index api_keys_by_created on api_keys (workspace_id, created_at, id);

-- API keys as the list machinery reads them. The doc is made when it is read: it changes with every use.
create view api_key_records as
select
  k.workspace_id, k.id, k.company_id, k.created_at,
  case when k.revoked_at is null then 'active' else 'revoked' end as status,
  (select row_to_json(wire)::text from (select
    k.id, k.name, k.mode, k.hint, k.access, k.company_id as "companyId",
    to_char(k.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "createdAt",
    to_char(k.last_used_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "lastUsedAt",
    to_char(k.revoked_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "revokedAt"
  ) wire) as doc
from api_keys k;

-- One row per workspace, locked by each write to its audit log: the log's clock (created_at strictly rises in
-- commit order), the live requests of the month (UTC), and the quota they are held against.
create table live_meters (
  workspace_id text collate "C" primary key references workspaces on delete cascade,
  last_entry_at timestamptz not null default 'epoch',
  -- Rises with each revocation and rotation of a key, under this row's lock: a statement that waited for the lock
  -- while it rose has looked at keys too early.
  keys_version integer not null default 0,
  month date not null default '1970-01-01',
  live_requests bigint not null default 0,
  -- How many of the last write's requests were within the quota: an answer to the statement that wrote it.
  last_granted integer not null default 0,
  -- Live requests a month; null: no limit.
  live_quota bigint check (live_quota >= 0)
) with (fillfactor = 50);

-- Monthly partitions from the first day; made ahead and dropped by jobs. No foreign keys: an entry outlives
-- what it tells of.
create table audit_log (
  workspace_id text collate "C" not null,
  id text collate "C" not null,
  created_at timestamptz not null,
  kind text collate "C" not null,
  key_id text collate "C",
  doc text not null,
  primary key (workspace_id, created_at, id)
) partition by range (created_at);
create index audit_log_by_id on audit_log (workspace_id, id);
create index audit_log_by_kind on audit_log (workspace_id, kind, created_at, id);

-- Requests per key and day (UTC), live and test, written with the audit entries.
create table key_usage (
  workspace_id text collate "C" not null references workspaces on delete cascade,
  key_id text collate "C" not null,
  day date not null,
  requests bigint not null,
  errors bigint not null,
  primary key (workspace_id, key_id, day)
) with (fillfactor = 70);
