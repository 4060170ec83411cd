-- A search reads the blocks of words instead of the indexes of the records (docs/decisions/0040).

-- The ids of the records in blocks that may have all words of a search: those that have the first of its longest words that is
-- rare in the workspace, so that about 3,000 blocks and `most` records have it at most. Null: none of them is rare, or there is
-- no word. The settings leave no plan but the index.
create function records_with_words(workspace text, kind text, searched text, most integer) returns text[]
language plpgsql stable
  set enable_bitmapscan = on set enable_indexscan = off set enable_indexonlyscan = off set enable_seqscan = off set jit = off
  set gin_fuzzy_search_limit = 0
as $$
declare
  word text;
  quoted text;
  mark text;
  blocks integer;
  records integer;
  found_ids text[];
begin
  <<words>>
  for word in select each from unnest(search_prefixed(searched, '')) each group by each
    order by length(each) desc, each limit 4
  loop
    quoted := replace(replace(word, '\', '\\'), '''', '''''');
    foreach mark in array array['$', '#', '!'] loop
      select count(*), sum(having_word) into blocks, records from (
        select (select count(*) from string_to_table(words, e'\n') line where line like '% ' || word || '%') as having_word
        from word_blocks
        where block_lexemes(workspace_id, resource, last_id, words)
            @@ format('''%s'':*', search_tag(workspace || kind) || mark || quoted)::tsquery
          and workspace_id || resource = workspace || kind
        limit 97) sample;
      continue words when blocks > 96 or records > most / 32;
    end loop;
    select coalesce(array_agg(distinct line.id), '{}') into found_ids from (
        select b.ids, b.words from word_blocks b
        where block_lexemes(b.workspace_id, b.resource, b.last_id, b.words)
            @@ format('''%s'':*', search_tag(workspace || kind) || quoted)::tsquery
          and b.workspace_id || b.resource = workspace || kind
        offset 0
      ) block
      cross join lateral unnest(block.ids, string_to_array(block.words, e'\n')) as line (id, words)
      where line.words like '% ' || word || '%';
    return found_ids;
  end loop;
  return null;
end
$$;

-- The records of a table whose words begin with all words of a search: of those that the blocks have, and of those that are in no
-- block yet. One row of nulls: these are more than `most` together, or the words are common, or there is no word, so the blocks
-- do not help. A cluster of Citus does not search by blocks.
create or replace function search_records(kind anyelement, workspace text, q text, most integer) returns setof anyelement
language plpgsql stable set jit = off
as $$
declare
  resource text := pg_typeof(kind)::text;
  patterns text[] := search_patterns(q);
  address text := regexp_replace(q, '^[A-Za-z]+://', '');
  last record;
  ids text[];
  found integer;
begin
  if to_regclass('pg_dist_partition') is null then
    select * into last from last_block(workspace, resource);
    execute format('select count(*) from (
        select from %s where workspace_id >= $1 and workspace_id <= $1 and (workspace_id, created_at, id) > ($1, $2, $3)
        order by workspace_id, created_at, id limit $4) later', resource)
      into found using workspace, last.last_at, last.last_id, most + 1;
    if found <= most then
      ids := records_with_words(workspace, resource,
        case when patterns[2] is null then search_words(address, '') else search_words('', '//' || address) end,
        most);
    end if;
    if found + cardinality(ids) <= most then
      return query execute format('select * from (
          select r.* from unnest($4) each cross join lateral (
            select * from %1$s where workspace_id = $1 and id >= each and id <= each order by id limit 1) r
          where (r.created_at, r.id) <= ($2, $3)
          union all
          select * from (
            select * from %1$s where workspace_id >= $1 and workspace_id <= $1 and (workspace_id, created_at, id) > ($1, $2, $3)
            order by workspace_id, created_at, id limit $8) later
        ) found
        where id <> $5 and lower(%2$s || '' '' || coalesce(%3$s, '''')) like $9
          and (search_words(%2$s, %3$s) like all ($6) or lower(%3$s) ~ $7)', resource, searched_title(resource), searched_url(resource))
        using workspace, last.last_at, last.last_id, ids, q, patterns[3:], patterns[2], most, patterns[1];
      return;
    end if;
  end if;
  return next kind;
end
$$;

-- The indexes of the records, which served the search before.
drop index if exists companies_by_word;
drop index if exists content_by_word;
drop index if exists mentions_by_word;
drop function search_lexemes(text, text, text, text);
