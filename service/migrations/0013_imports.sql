-- An import has one entry in the audit log, written with its first records. What it has added since is counted here, in
-- the transactions that add it: an entry is never changed, and an import that is killed has counted what it committed.
create table imports (
  workspace_id text collate "C" not null references workspaces on delete cascade,
  id text collate "C" not null,
  created_at timestamptz not null default clock_timestamp(),
  records bigint not null,
  -- Records whose id existed and lines that were refused: known when the file has been read to its end.
  existing bigint,
  refused bigint,
  finished boolean not null default false,
  primary key (workspace_id, id)
) with (fillfactor = 50);
create index imports_by_created on imports (created_at);

-- The audit log as it is read: the entry of an import with its counts.
create view audit_log_entries as
select
  workspace_id, id, created_at, kind, key_id, actor, target_id, status, method, path,
  case when kind = 'records.imported' and target_id is not null then coalesce(
    (select left(doc, -1) || ',"records":' || i.records || ',"details":'
       || json_build_object('existing', i.existing, 'refused', i.refused, 'finished', i.finished) || '}'
     from imports i where i.workspace_id = audit_log.workspace_id and i.id = audit_log.target_id),
    doc
  ) else doc end as doc
from audit_log;
