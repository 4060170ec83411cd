-- A request whose key is remembered is written without a look at the key, if the version of the workspace's keys is the one that
-- its process remembers (docs/decisions/0002). The service increments the version with each change that may end the validity of a
-- key. These triggers do it for a change that somebody makes with SQL.
create function count_key_change() returns trigger language plpgsql as
$$
begin
  update live_meters set keys_version = keys_version + 1 where workspace_id = new.workspace_id;
  return null;
end
$$;
create function count_key_deletions() returns trigger language plpgsql as
$$
begin
  update live_meters set keys_version = keys_version + 1 where workspace_id in (select workspace_id from deleted);
  return null;
end
$$;

-- If the tables are distributed over a cluster of Citus, each request is checked, so no version is needed. The function that does
-- this serves one PostgreSQL too. There, its statements keep their plans; in a cluster they do not (docs/scale.md).
do $$
declare
  is_distributed boolean := false;
begin
  if to_regclass('pg_dist_partition') is not null then
    is_distributed := exists (
      select from pg_dist_partition where logicalrelid = 'live_meters'::regclass and partkey is not null);
  end if;
  if not is_distributed then
    create trigger count_key_change after update of token_version, revoked_at, paused_at, expires_at on api_keys
      for each row when ((old.token_version, old.revoked_at, old.paused_at, old.expires_at)
        is distinct from (new.token_version, new.revoked_at, new.paused_at, new.expires_at))
      execute function count_key_change();
    create trigger count_key_deletions after delete on api_keys
      referencing old table as deleted for each statement execute function count_key_deletions();
    alter function write_requests reset plan_cache_mode;
  end if;
end $$;
