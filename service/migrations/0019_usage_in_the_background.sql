-- Usage and traffic are counted after the response, from the entries of the log.

-- Up to where the log of each workspace is counted. A table of its own, because a request must not wait while its workspace
-- is counted.
create table usage_marks (
  workspace_id text collate "C" primary key references workspaces on delete cascade,
  counted_until timestamptz not null default 'epoch'
) with (fillfactor = 50);

-- Each workspace has a mark, also one that a node of an earlier release creates.
create function create_usage_mark() returns trigger language plpgsql as
$$
begin
  insert into usage_marks (workspace_id) values (new.id);
  return null;
end
$$;
create trigger has_usage_mark after insert on workspaces for each row execute function create_usage_mark();

-- Not in the future, where the clock of a log may be by mistake.
insert into usage_marks (workspace_id, counted_until) select workspace_id, least(last_entry_at, now()) from live_meters;

-- The latency of an api.request (audit-log/latency.ts). Null: the node that wrote the entry has also counted it. Nodes of
-- earlier releases do that, and may write entries while this migration runs and after it.
alter table audit_log add column latency_bucket smallint;
