-- Who acted and on what: null on an api.request, and on entries of earlier versions.
alter table audit_log
  add column actor text collate "C",
  add column target_id text collate "C";
