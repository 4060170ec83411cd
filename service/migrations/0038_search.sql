-- Search by the words of titles, names and hosts, served by an index of the next migration (docs/decisions/0040). The words
-- in the index begin with a tag of the workspace. All functions of the index are immutable, and need no extension.

-- The words of a title and of the host of a URL, in lower case, each after spaces. The pattern has no space, because each match
-- takes time. One pattern for both is faster than translate(), which takes time for each sign that it knows.
create function search_words(title text, url text) returns text language sql immutable parallel safe
return ' ' || regexp_replace(lower(left(title, 500) || ' ' || left(split_part(coalesce(url, ''), '/', 3), 253)),
  '[\x01-\x1f\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf\u2000-\u206f\u3000-\u3004\u3008-\u3020\u3030\uff00-\uff0f\uff1a-\uff20]+',
  ' ', 'g');

-- Words with a prefix.
create function search_prefixed(words text, prefix text) returns text[] language sql immutable parallel safe
return array_remove(string_to_array(prefix || replace(words, ' ', ' ' || prefix), ' '), prefix);

-- Five characters for a workspace. Two workspaces may have the same ones, so a search also compares the workspace.
create function search_tag(workspace_id text) returns text language sql immutable parallel safe
return left(encode(int8send(hashtextextended(workspace_id, 0)), 'base64'), 5);

-- What the index has of a record: its words. One record in 32 also has them with the mark `!`, one in 1,024 with `#`, and one
-- in 32,768 with `$`: so a search sees how common a word is before it reads all records that have it.
create function search_lexemes(workspace_id text, id text, title text, url text) returns tsvector
language sql immutable parallel safe
return array_to_tsvector(case
  when hashtextextended(id, 0) & 31 <> 0 then search_prefixed(search_words(title, url), search_tag(workspace_id))
  else search_prefixed(search_words(title, url), search_tag(workspace_id))
    || search_prefixed(search_words(title, url), search_tag(workspace_id) || '!')
    || case when hashtextextended(id, 0) & 1023 = 0
      then search_prefixed(search_words(title, url), search_tag(workspace_id) || '#') else '{}' end
    || case when hashtextextended(id, 0) & 32767 = 0
      then search_prefixed(search_words(title, url), search_tag(workspace_id) || '$') else '{}' end
  end);

-- The patterns of a search. 1: the longest word, anywhere. 2 and 3: with a slash in it, parts of a URL that begin after `//`
-- or a dot; otherwise empty. Then each word at its begin, or a pattern that nothing has.
create function search_patterns(q text) returns text[] language sql immutable parallel safe
return (
  select array[
      coalesce((select '%' || word || '%' from unnest(words) word order by length(word) desc, word limit 1), e'\n'),
      case when is_url then case when part like '/%' then '%' else '%//' end || part || '%' else '' end,
      case when is_url then case when part like '/%' then '%' else '%.' end || part || '%' else '' end
    ] || case when words = '{}' then array[e'\n'] else (select array_agg('% ' || word || '%') from unnest(words) word) end
  from (
    select search_prefixed(search_words(address, ''), '') as words, address ~ '^\S*/\S*$' as is_url,
      regexp_replace(lower(address), '([\\%_])', '\\\1', 'g') as part
    from (select regexp_replace(q, '^[A-Za-z]+://', '') as address) query
  ) parts
);

-- The records of a table whose words begin with all words of a search, read by the index: of its longest words, the first
-- that is rare in the workspace. One row of nulls: more than `most` may have it, or there is no such word, so the index does
-- not help. A cluster of Citus does not search by the index. The settings leave no other plan.
create function search_records(kind anyelement, workspace text, q text, most integer) returns setof anyelement
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
  searched text := case when patterns[2] = '' then search_words(q, '') else
    search_words('', '//' || regexp_replace(q, '^[A-Za-z]+://', '')) end;
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
      return query execute format('select * %s and id <> $3 and (search_words(%s, %s) like all ($4) or lower(%s) like any ($5))
        limit $6', rows, title, url, url)
        using format('''%s'':*', search_tag(workspace) || quoted), workspace, q, patterns[4:], patterns[2:3], most + 1;
      get diagnostics found = row_count;
      if found > most then return next kind; end if;
      return;
    end loop;
  end if;
  return next kind;
end
$$;
