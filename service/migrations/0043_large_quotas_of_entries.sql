-- A live quota is a bigint, and an integer could not take it: in a cluster, no entry of a workspace with a quota above
-- 2,147,483,647 was written. A function cannot get another result, so it is created again. The rest is the same as before.
drop function write_requests;
create function write_requests(
  anchor text, waited text, workspace_ids text[], key_ids text[], token_versions int[], ids text[], heads text[], tails text[],
  counted bool[], statuses smallint[], methods text[], paths text[], latency_buckets smallint[], timeout text
) returns table (place int, workspace text, granted bool, used bigint, quota bigint, reason text)
language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  request record;
  meter record;
  current_id text;
  writable bool := false;
  is_open bool;
  changed bool := false;
  this_month date;
  last_at timestamptz;
  valid_keys text[];
begin
  if waited is not null then
    perform m.workspace_id from (select set_config('lock_timeout', timeout, true) as set) limited cross join lateral (
      select workspace_id from live_meters where workspace_id = waited and limited.set is not null for no key update) m;
  end if;
  for request in
    select * from unnest(workspace_ids, key_ids, token_versions, ids, heads, tails, counted, statuses, methods, paths, latency_buckets)
      with ordinality as r (workspace_id, key_id, version, id, head, tail, counted, status, method, path, bucket, position)
    union all select null, null, null, null, null, null, null, null, null, null, null, null
  loop
    if request.workspace_id is distinct from current_id then
      if changed then
        update live_meters set last_entry_at = last_at, month = this_month, live_requests = used where workspace_id = current_id;
      end if;
      exit when request.workspace_id is null;
      current_id := request.workspace_id;
      changed := false;
      valid_keys := '{}';
      select last_entry_at, month, live_requests, live_quota into meter
        from live_meters where workspace_id = current_id for no key update skip locked;
      writable := found;
      if not writable then
        perform from live_meters where workspace_id = current_id;
        return query select 0, current_id, false, 0::bigint, null::bigint, case when found then 'held' else 'missing' end;
      else
        this_month := greatest(meter.month, date_trunc('month', now() at time zone 'UTC')::date);
        used := case when meter.month = this_month then meter.live_requests else 0 end;
        last_at := meter.last_entry_at;
        -- After the lock, so that the workspace is neither deleted nor restored meanwhile.
        select deleted_at is null into is_open from workspaces where id = current_id;
      end if;
    end if;
    continue when not writable;
    if request.key_id || ' ' || request.version <> all (valid_keys) then
      -- After the lock, so that no key of the workspace changes meanwhile.
      perform from api_keys where workspace_id = current_id and id >= request.key_id and id <= request.key_id
        and token_version = request.version
        and (revoked_at is null and paused_at is null and (expires_at is null or expires_at > statement_timestamp()))
        order by id limit 1;
      continue when not found or is_open is not true;
      valid_keys := valid_keys || (request.key_id || ' ' || request.version);
    end if;
    place := request.position;
    workspace := current_id;
    quota := meter.live_quota;
    granted := not request.counted or quota is null or used < quota;
    if granted then
      changed := changed or request.counted or request.id is not null;
      if request.counted then
        used := used + 1;
      end if;
      if request.id is not null then
        last_at := greatest(clock_timestamp(), last_at + interval '1 microsecond');
        insert into audit_log (workspace_id, id, created_at, kind, key_id, status, method, path, latency_bucket, doc) values (
          current_id, request.id, last_at, 'api.request', request.key_id, request.status, request.method, request.path,
          request.bucket, request.head || to_char(last_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || request.tail);
      end if;
    end if;
    return next;
  end loop;
end
$$;
