-- When a key was last used, to the minute, with its usage of the day: a statement that writes the requests of many workspaces
-- then waits for no key that another transaction changes. api_keys has the last use before this migration, and that of
-- requests to nodes of earlier releases.
alter table key_usage add column last_used_at timestamptz;

create or replace view api_key_records as
select
  k.workspace_id, k.id, k.company_id, k.created_at,
  case when k.revoked_at is null then 'active' else 'revoked' end as status,
  (select row_to_json(wire)::text from (select
    k.id, k.name, k.mode, k.hint, k.access, k.company_id as "companyId",
    to_char(k.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "createdAt",
    to_char(greatest(k.last_used_at, (
      select u.last_used_at from key_usage u where u.workspace_id = k.workspace_id and u.key_id = k.id order by u.day desc limit 1
    )) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "lastUsedAt",
    to_char(k.revoked_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "revokedAt"
  ) wire) as doc
from api_keys k;
