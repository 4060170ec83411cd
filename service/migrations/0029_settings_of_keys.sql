-- What a key may have in addition: an end, a pause, networks that it may be used from, a burst limit, and the person who created it.
-- Nodes of earlier releases do not know them: they accept a key that is paused or has expired.
alter table api_keys
  add column expires_at timestamptz,
  add column paused_at timestamptz,
  -- CIDR ranges in canonical form. Null: any address.
  add column allowed_networks text[],
  add column burst_limit integer check (burst_limit > 0),
  -- Email address. Null: the key is older than this column.
  add column created_by text,
  -- The `expires_at` that the workspace was warned of.
  add column warned_of timestamptz;

-- The job that warns of keys looks for those that expire soon, in all workspaces.
create index api_keys_by_expiry on api_keys (expires_at) where expires_at is not null and revoked_at is null;

create or replace view api_key_records as
select
  k.workspace_id, k.id, k.company_id, k.created_at,
  case
    when k.revoked_at is not null then 'revoked'
    when k.expires_at <= statement_timestamp() then 'expired'
    when k.paused_at is not null then 'paused'
    else 'active'
  end as status,
  (select row_to_json(wire)::text from (select
    k.id, k.name, k.mode, k.hint, k.access, k.company_id as "companyId",
    to_char(k.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "createdAt",
    to_char(greatest(k.last_used_at, (
      select u.last_used_at from key_usage u where u.workspace_id = k.workspace_id and u.key_id >= k.id and u.key_id <= k.id
      order by u.key_id desc, u.day desc limit 1
    )) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "lastUsedAt",
    to_char(k.revoked_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "revokedAt",
    to_char(k.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "expiresAt",
    to_char(k.paused_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "pausedAt"
  ) wire) as doc
from api_keys k;
