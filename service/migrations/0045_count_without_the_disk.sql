-- In a cluster, a count need not wait for the disk: if it is lost, the entries are counted again. As a clause of the function, the
-- setting ended with the function, before the commit. The rest is the same as before.
create or replace function count_entries(anchor text, workspaces text[], entries_max int)
returns table (workspace text, counted text)
language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  mark timestamptz;
  entry record;
  part record;
  entries int;
  key_ids text[];
  times timestamptz[];
  failures int[];
  last_at timestamptz;
  buckets smallint[];
begin
  perform set_config('synchronous_commit', 'off', true);
  foreach workspace in array workspaces loop
    select counted_until into mark from usage_marks where workspace_id = workspace for no key update skip locked;
    if not found then
      perform from usage_marks where workspace_id = workspace;
      counted := case when found then 'nothing' else 'all' end;
      return next;
      continue;
    end if;
    entries := 0;
    key_ids := '{}';
    times := '{}';
    failures := '{}';
    buckets := '{}';
    for entry in
      select created_at, key_id, status, latency_bucket from audit_log
      where workspace_id = workspace and created_at > mark order by created_at, id limit entries_max
    loop
      entries := entries + 1;
      last_at := entry.created_at;
      -- Entries without a latency were counted by the node of an earlier release that wrote them.
      if entry.latency_bucket is not null then
        key_ids := key_ids || entry.key_id;
        times := times || entry.created_at;
        failures := failures || case when entry.status >= 400 then 1 else 0 end;
        buckets := buckets || entry.latency_bucket;
      end if;
    end loop;
    if entries > 0 then
      for part in
        select key_id, (at at time zone 'UTC')::date as day, count(*) as requests, sum(failed) as errors,
          date_trunc('minute', max(at), 'UTC') as last_used_at
        from unnest(key_ids, times, failures) as e (key_id, at, failed) group by 1, 2 order by 1, 2
      loop
        insert into key_usage as u (workspace_id, key_id, day, requests, errors, last_used_at)
        values (workspace, part.key_id, part.day, part.requests, part.errors, part.last_used_at)
        on conflict (workspace_id, key_id, day) do update set requests = u.requests + excluded.requests,
          errors = u.errors + excluded.errors, last_used_at = greatest(u.last_used_at, excluded.last_used_at);
      end loop;
      for part in
        select date_trunc('hour', at, 'UTC') as hour, bucket, count(*) as requests, sum(failed) as errors
        from unnest(times, buckets, failures) as e (at, bucket, failed) group by 1, 2 order by 1, 2
      loop
        insert into traffic as t (workspace_id, hour, mode, bucket, requests, errors)
        values (workspace, part.hour, 'live', part.bucket, part.requests, part.errors)
        on conflict (workspace_id, hour, mode, bucket) do update set requests = t.requests + excluded.requests,
          errors = t.errors + excluded.errors;
      end loop;
      update usage_marks set counted_until = last_at where workspace_id = workspace;
    end if;
    counted := case when entries = entries_max then 'some' else 'all' end;
    return next;
  end loop;
end
$$;
