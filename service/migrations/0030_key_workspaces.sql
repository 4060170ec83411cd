-- The workspace of each key, by the index of its token, which has no workspace in it. In a cluster, each node has this table, so
-- that the key itself is looked up on one node. No foreign key: a cluster could not check it.
create table key_workspaces (
  token_index bytea primary key,
  workspace_id text collate "C" not null
);

-- Keys that a node of an earlier version creates and rotates. Such nodes do not know clusters.
create function note_key_workspace() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    delete from key_workspaces where token_index = old.token_index;
  end if;
  insert into key_workspaces (token_index, workspace_id) values (new.token_index, new.workspace_id) on conflict do nothing;
  return null;
end
$$;
create trigger of_earlier_node after insert or update of token_index on api_keys
  for each row execute function note_key_workspace();

-- The trigger waited for all who were changing keys, so none is missing.
insert into key_workspaces (token_index, workspace_id) select token_index, workspace_id from api_keys on conflict do nothing;

-- The same as before, in statements that a cluster can run on the node that has the workspace.
create or replace function mark_missed_change() returns trigger language plpgsql as $$
declare
  of_workspace text := case tg_op when 'DELETE' then old.workspace_id else new.workspace_id end;
  marked timestamptz;
begin
  if current_setting('svc.feed', true) is distinct from of_workspace then
    select last_at + interval '1 microsecond' into marked from workspace_clocks where workspace_id = of_workspace for update;
    if marked is not null then
      update workspace_clocks set last_at = marked where workspace_id = of_workspace;
      insert into feed_starts (workspace_id, complete_after) values (of_workspace, marked)
        on conflict (workspace_id) do update set complete_after = greatest(feed_starts.complete_after, excluded.complete_after);
    end if;
    perform set_config('svc.feed', of_workspace, true);
  end if;
  return null;
end
$$;
