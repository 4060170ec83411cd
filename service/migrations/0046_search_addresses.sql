-- A search for a part of a URL finds only those that have it at the begin of the host, or after a dot of the host, not in the
-- rest of the URL. The host may follow a scheme also in a text without a path.

-- The patterns of a search. 1: the longest word, anywhere. 2: with a slash in it, a regular expression for URLs that have it at
-- the begin of the host or after a dot of the host, or anywhere if it begins with the slash; otherwise null. Then each word at
-- its begin, or a pattern that nothing has.
create or replace function search_patterns(q text) returns text[] language sql immutable parallel safe
return (
  select array[
      coalesce((select '%' || word || '%' from unnest(words) word order by length(word) desc, word limit 1), e'\n'),
      case when address ~ '^\S*/\S*$' then case when address like '/%' then '' else '^[^/]*//([^/?#]*[.])?' end
        || regexp_replace(lower(address), '([][\\.*+?^${}()|])', '\\\1', 'g') end
    ] || case when words = '{}' then array[e'\n'] else (select array_agg('% ' || word || '%') from unnest(words) word) end
  from (
    select address, search_prefixed(search_words(address, ''), '') as words
    from (select regexp_replace(q, '^[A-Za-z]+://', '') as address) query
  ) parts
);

-- The records that the index finds. The rest is the same as before.
create or replace function search_records(kind anyelement, workspace text, q text, most integer) returns setof anyelement
language plpgsql stable
  set enable_bitmapscan = on set enable_indexscan = off set enable_indexonlyscan = off set enable_seqscan = off set jit = off
  set gin_fuzzy_search_limit = 0
as $$
declare
  title text := case when pg_typeof(kind) = 'companies'::regtype then 'name' else 'title' end;
  url text := case when pg_typeof(kind) = 'companies'::regtype then '''//'' || domain' else 'url' end;
  rows text := format('from %s where search_lexemes(workspace_id, id, %s, %s) @@ $1::tsquery and workspace_id || '''' = $2',
    pg_typeof(kind), title, url);
  patterns text[] := search_patterns(q);
  address text := regexp_replace(q, '^[A-Za-z]+://', '');
  searched text := case when patterns[2] is null then search_words(address, '') else search_words('', '//' || address) end;
  word text;
  quoted text;
  mark text;
  found integer;
begin
  if to_regclass('pg_dist_partition') is null then
    <<words>>
    for word in select each from unnest(search_prefixed(searched, '')) each group by each
      order by length(each) desc, each limit 4
    loop
      quoted := replace(replace(word, '\', '\\'), '''', '''''');
      foreach mark in array array['$', '#', '!'] loop
        execute format('select count(*) from (select %s limit 97) sample', rows) into found
          using format('''%s'':*', search_tag(workspace) || mark || quoted), workspace;
        continue words when found > 96;
      end loop;
      return query execute format('select * %s and id <> $3 and (search_words(%s, %s) like all ($4) or lower(%s) ~ $5) limit $6',
        rows, title, url, url)
        using format('''%s'':*', search_tag(workspace) || quoted), workspace, q, patterns[3:], patterns[2], most + 1;
      get diagnostics found = row_count;
      if found > most then return next kind; end if;
      return;
    end loop;
  end if;
  return next kind;
end
$$;
