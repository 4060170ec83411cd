-- The change feed (docs/decisions/0023). A row has up to 100 consecutive changes of one transaction and one type.
create table changes (
  workspace_id text collate "C" not null,
  -- The time of the last change of the row. The items have how long before it each of the others is.
  last_at timestamptz not null,
  type text collate "C" not null,
  changes smallint not null check (changes > 0),
  -- Bytes of the items before they were compressed.
  bytes integer not null,
  items bytea not null,
  primary key (workspace_id, last_at)
);
-- The items are compressed already.
alter table changes alter column items set storage external;

-- The feed of a workspace has every change after this time. Earlier ones are deleted, or were never stored.
create table feed_starts (
  workspace_id text collate "C" primary key,
  complete_after timestamptz not null
) with (fillfactor = 50);

-- A transaction that does not append its changes to the feed, such as one of a node of an earlier version: the feed is
-- complete only after it. The first row of a workspace in the transaction is enough, because the clock stays locked. Its time is
-- later than that of each earlier change, so every position so far expires.
create function mark_missed_change() returns trigger language plpgsql as
$$
declare
  of_workspace text := case tg_op when 'DELETE' then old.workspace_id else new.workspace_id end;
begin
  if current_setting('svc.feed', true) is distinct from of_workspace then
    with clock as (
      update workspace_clocks set last_at = last_at + interval '1 microsecond' where workspace_id = of_workspace
      returning workspace_id, last_at
    )
    insert into feed_starts (workspace_id, complete_after) select workspace_id, last_at from clock
    on conflict (workspace_id) do update set complete_after = greatest(feed_starts.complete_after, excluded.complete_after);
    perform set_config('svc.feed', of_workspace, true);
  end if;
  return null;
end
$$;
create trigger missed_change after insert or update of doc or delete on audits for each row
  when (current_setting('svc.feed', true) is distinct from 'kept') execute function mark_missed_change();
create trigger missed_change after insert or update of doc or delete on mentions for each row
  when (current_setting('svc.feed', true) is distinct from 'kept') execute function mark_missed_change();
create trigger missed_change after insert or update of doc or delete on content for each row
  when (current_setting('svc.feed', true) is distinct from 'kept') execute function mark_missed_change();
create trigger missed_change after insert or update of doc or delete on companies for each row
  when (current_setting('svc.feed', true) is distinct from 'kept') execute function mark_missed_change();

-- The records of today are not in the feed.
insert into feed_starts (workspace_id, complete_after)
select workspace_id, last_at from workspace_clocks where last_at > 'epoch';
