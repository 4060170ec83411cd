-- The words of records are indexed in the background, in blocks of consecutive records (docs/decisions/0040). The indexes of the
-- records themselves took a fifth of the rate of an import.

-- A block: 32 records of a workspace that follow each other by created_at and id, and their words, one line for each.
-- `last_at` and `last_id` are those of the last one. The last block of a resource says how far its records are in blocks: a
-- search compares the later ones one by one. `single`: one record, which has changed its words after its block was written, or
-- which was created later with an earlier created_at.
create table word_blocks (
  workspace_id text collate "C" not null,
  resource text collate "C" not null,
  single boolean not null,
  last_at timestamptz not null,
  last_id text collate "C" not null,
  ids text[] collate "C" not null,
  words text not null,
  primary key (workspace_id, resource, single, last_at, last_id)
);

-- What the index has of a block. One block in 32 also has its words with the mark `!`, one in 1,024 with `#`, and one in
-- 32,768 with `$`: so a search sees how common a word is before it reads all blocks that have it.
create function block_lexemes(workspace_id text, resource text, last_id text, words text) returns tsvector
language sql immutable parallel safe
return array_to_tsvector(case
  when hashtextextended(last_id, 0) & 31 <> 0
    then search_prefixed(replace(words, e'\n', ''), search_tag(workspace_id || resource))
  else search_prefixed(replace(words, e'\n', ''), search_tag(workspace_id || resource))
    || search_prefixed(replace(words, e'\n', ''), search_tag(workspace_id || resource) || '!')
    || case when hashtextextended(last_id, 0) & 1023 = 0
      then search_prefixed(replace(words, e'\n', ''), search_tag(workspace_id || resource) || '#') else '{}' end
    || case when hashtextextended(last_id, 0) & 32767 = 0
      then search_prefixed(replace(words, e'\n', ''), search_tag(workspace_id || resource) || '$') else '{}' end
  end);

-- Each search reads the list of pending entries. It has 32 pages.
create index word_blocks_by_word on word_blocks using gin (block_lexemes(workspace_id, resource, last_id, words))
  with (gin_pending_list_limit = 256);

-- The SQL of the title of a resource's records, and of their URL. A company has its domain as the host of one.
create function searched_title(kind text) returns text language sql immutable parallel safe
return case when kind = 'companies' then 'name' else 'title' end;
create function searched_url(kind text) returns text language sql immutable parallel safe
return case when kind = 'companies' then '''//'' || domain' else 'url' end;

-- Up to which record the records of a resource are in blocks. Before all of them, if there is no block.
create function last_block(workspace text, kind text, out last_at timestamptz, out last_id text) language plpgsql stable as $$
begin
  select b.last_at, b.last_id into last_at, last_id from word_blocks b
  where b.workspace_id = workspace and b.resource = kind and not b.single order by b.last_at desc, b.last_id desc limit 1;
  if not found then
    last_at := '-infinity';
    last_id := '';
  end if;
end
$$;

-- Adds the next `most` records of some resources to blocks. `added`: how many it has added. Fewer than `most`, a multiple of 32:
-- no other block is full. Null: another transaction has locked the clock of the workspace, without which no record is created
-- or changed. `waits`: for the clock. `ms`: for how long it had locked the clock. It does nothing in a cluster of Citus.
create function index_words(workspace text, kinds text[], most integer, waits boolean, out added integer, out ms float8)
language plpgsql as $$
declare
  kind text;
  last record;
  later integer;
  locked_at timestamptz;
begin
  added := 0;
  ms := 0;
  if to_regclass('pg_dist_partition') is not null then return; end if;
  foreach kind in array kinds loop
    select * into last from last_block(workspace, kind);
    execute format('select count(*) from (
        select from %s where workspace_id >= $1 and workspace_id <= $1 and (workspace_id, created_at, id) > ($1, $2, $3)
        order by workspace_id, created_at, id limit 32) later', kind)
      into later using workspace, last.last_at, last.last_id;
    continue when later < 32;
    if locked_at is null then
      if waits then
        perform from workspace_clocks where workspace_id = workspace for update;
      else
        perform from workspace_clocks where workspace_id = workspace for update skip locked;
      end if;
      if not found then
        added := null;
        return;
      end if;
      locked_at := clock_timestamp();
      select * into last from last_block(workspace, kind);
    end if;
    execute format('insert into word_blocks
        select $1, %L, false, max(at), (array_agg(id order by at desc, id desc))[1], array_agg(id order by at, id),
          string_agg(search_words(title, url), e''\n'' order by at, id)
        from (
          select created_at as at, id, %s as title, %s as url, (row_number() over (order by created_at, id) - 1) / 32 as block
          from (
            select * from %s where workspace_id >= $1 and workspace_id <= $1 and (workspace_id, created_at, id) > ($1, $2, $3)
            order by workspace_id, created_at, id limit $4
          ) later
        ) numbered
        group by block having count(*) = 32', kind, searched_title(kind), searched_url(kind), kind)
      using workspace, last.last_at, last.last_id, most - added;
    get diagnostics later = row_count;
    added := added + later * 32;
    exit when added >= most;
  end loop;
  ms := coalesce(extract(epoch from clock_timestamp() - locked_at) * 1000, 0);
end
$$;

-- Adds records, which have been created with a created_at of their own, if later records are in blocks. A few become blocks of
-- one record. For more, the blocks from the first one on are removed, and written again, unless there are more than 10,000. The
-- caller has locked the clock.
create function index_earlier_words(workspace text, kind text, records text[]) returns void language plpgsql as $$
declare
  last record := last_block(workspace, kind);
  earlier text[];
  first_at timestamptz;
  later integer;
begin
  if last.last_at = '-infinity' then return; end if;
  execute format('select array_agg(r.id), min(r.created_at)
      from unnest($1) each cross join lateral (
        select id, created_at from %s where workspace_id = $2 and id >= each and id <= each order by id limit 1) r
      where (r.created_at, r.id) <= ($3, $4)', kind)
    into earlier, first_at using records, workspace, last.last_at, last.last_id;
  if cardinality(earlier) > 32 then
    select count(*) into later from (
      select from word_blocks b where b.workspace_id = workspace and b.resource = kind and not b.single and b.last_at >= first_at
      limit 10001) blocks;
  end if;
  if later <= 10000 then
    delete from word_blocks where workspace_id = workspace and resource = kind and not single and last_at >= first_at;
  else
    execute format('insert into word_blocks
        select $1, %L, true, r.created_at, r.id, array[r.id], search_words(%s, %s)
        from unnest($2) each cross join lateral (
          select * from %s where workspace_id = $1 and id >= each and id <= each order by id limit 1) r
        on conflict (workspace_id, resource, single, last_at, last_id) do update set words = excluded.words',
        kind, searched_title(kind), searched_url(kind), kind)
      using workspace, earlier;
  end if;
end
$$;

create function index_changed_words() returns trigger language plpgsql as $$
declare
  last record := last_block(new.workspace_id, tg_table_name);
  changed text;
begin
  if (new.created_at, new.id) > (last.last_at, last.last_id) then return null; end if;
  if tg_table_name = 'companies' then
    changed := search_words(new.name, '//' || new.domain);
  else
    changed := search_words(new.title, new.url);
  end if;
  insert into word_blocks values (new.workspace_id, tg_table_name, true, new.created_at, new.id, array[new.id], changed)
  on conflict (workspace_id, resource, single, last_at, last_id) do update set words = excluded.words;
  return null;
end
$$;

-- Removes the blocks of deleted records: those of one record, and those of which no record is left. The removal of a workspace
-- has removed its clock and its blocks before.
create function remove_words() returns trigger language plpgsql as $$
declare
  block record;
  kept boolean;
begin
  if not exists (select from deleted join workspace_clocks using (workspace_id)) then return null; end if;
  delete from word_blocks where ctid = any (array(
    select found.ctid from deleted d cross join lateral (
      select b.ctid from word_blocks b where b.workspace_id = d.workspace_id and b.resource = tg_table_name::text and b.single
        and b.last_at = d.created_at and b.last_id = d.id) found));
  for block in
    select distinct found.* from deleted d cross join lateral (
      select b.workspace_id, b.last_at, b.last_id, b.ids from word_blocks b
      where b.workspace_id = d.workspace_id and b.resource = tg_table_name::text and not b.single
        and (b.last_at, b.last_id) >= (d.created_at, d.id)
      order by b.last_at, b.last_id limit 1) found
  loop
    execute format('select exists (select from unnest($2) each cross join lateral (
        select from %s where workspace_id = $1 and id >= each and id <= each order by id limit 1) r)', tg_table_name)
      into kept using block.workspace_id, block.ids;
    if not kept then
      delete from word_blocks where workspace_id = block.workspace_id and resource = tg_table_name::text and not single
        and last_at = block.last_at and last_id = block.last_id;
    end if;
  end loop;
  return null;
end
$$;

-- A program that does not index the words of earlier records, such as a node of an earlier release, may have created some.
create function index_created_words() returns trigger language plpgsql as $$
declare
  created record;
begin
  for created in select workspace_id, array_agg(id) as ids from added group by workspace_id loop
    perform index_earlier_words(created.workspace_id, tg_table_name, created.ids);
  end loop;
  return null;
end
$$;

-- If the tables are distributed over a cluster of Citus, nothing is in blocks.
do $$
begin
  if to_regclass('pg_dist_partition') is not null then
    if exists (select from pg_dist_partition where logicalrelid = 'mentions'::regclass and partkey is not null) then return; end if;
  end if;
  create trigger index_changed_words after update of name, domain on companies for each row
    when ((old.name, old.domain) is distinct from (new.name, new.domain)) execute function index_changed_words();
  create trigger index_changed_words after update of title, url on content for each row
    when ((old.title, old.url) is distinct from (new.title, new.url)) execute function index_changed_words();
  create trigger index_changed_words after update of title, url on mentions for each row
    when ((old.title, old.url) is distinct from (new.title, new.url)) execute function index_changed_words();
  create trigger index_created_words after insert on companies referencing new table as added for each statement
    when (current_setting('svc.feed', true) is distinct from 'kept') execute function index_created_words();
  create trigger remove_words after delete on companies
    referencing old table as deleted for each statement execute function remove_words();
  create trigger index_created_words after insert on content referencing new table as added for each statement
    when (current_setting('svc.feed', true) is distinct from 'kept') execute function index_created_words();
  create trigger remove_words after delete on content
    referencing old table as deleted for each statement execute function remove_words();
  create trigger index_created_words after insert on mentions referencing new table as added for each statement
    when (current_setting('svc.feed', true) is distinct from 'kept') execute function index_created_words();
  create trigger remove_words after delete on mentions
    referencing old table as deleted for each statement execute function remove_words();
end $$;
