-- The service has built these indexes before, while it was possible to write (src/database/build-indexes.ts). The list of
-- pending entries, which each search reads, has 32 pages.
create index if not exists mentions_by_word on mentions using gin (search_lexemes(workspace_id, id, title, url))
  with (gin_pending_list_limit = 256);
create index if not exists content_by_word on content using gin (search_lexemes(workspace_id, id, title, url))
  with (gin_pending_list_limit = 256);
create index if not exists companies_by_word on companies using gin (search_lexemes(workspace_id, id, name, '//' || domain))
  with (gin_pending_list_limit = 256);
