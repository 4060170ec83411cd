-- Most entries are requests. Their kind no longer has an index, which each request paid for (docs/decisions/0044). The service
-- has built the new index before, while it was possible to write (src/database/build-indexes.ts).
drop index audit_log_by_kind;
create index if not exists audit_log_by_event on audit_log (workspace_id, kind, created_at, id) where kind <> 'api.request';
