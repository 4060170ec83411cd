-- The dashboard finds companies by the start of their names, whatever their number.
create index companies_by_name on companies (workspace_id, (lower(name) collate "C"), id);
-- A new password deletes the unfinished sign-ins of its person. The values can be of any length, so this is a hash index.
create index verifications_by_value on verifications using hash (value);
-- The usage of some days, without that of all earlier days. Usage is never deleted.
create index key_usage_by_day on key_usage (workspace_id, day desc, key_id);

-- The last use of a key: an order that only the primary key has. The new index has the order of the days too.
create or replace view api_key_records as
select
  k.workspace_id, k.id, k.company_id, k.created_at,
  case when k.revoked_at is null then 'active' else 'revoked' end as status,
  (select row_to_json(wire)::text from (select
    k.id, k.name, k.mode, k.hint, k.access, k.company_id as "companyId",
    to_char(k.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "createdAt",
    to_char(greatest(k.last_used_at, (
      select u.last_used_at from key_usage u where u.workspace_id = k.workspace_id and u.key_id >= k.id and u.key_id <= k.id
      order by u.key_id desc, u.day desc limit 1
    )) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "lastUsedAt",
    to_char(k.revoked_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "revokedAt"
  ) wire) as doc
from api_keys k;
