-- A foreign key checks a company, before it is deleted, with a statement that PostgreSQL plans by its statistics. In a
-- workspace that they do not describe, it read every record. These triggers do the same with one look-up in the index that
-- begins with the company, whatever the statistics say, also for nodes of earlier versions. That the company of a new
-- record exists, the service checks itself: the clock of the workspace, which it locks, keeps companies from being deleted.
create function refuse_while_records_exist() returns trigger language plpgsql
  set enable_sort = off set enable_seqscan = off set enable_bitmapscan = off set jit = off as
$$
declare
  found_id text;
begin
  execute format(
    'select id from %I where workspace_id = $1 and company_id >= $2 and company_id <= $2
     order by company_id, created_at, id limit 1', tg_argv[0]) into found_id using old.workspace_id, old.id;
  if found_id is not null then
    raise exception 'the company % still has %', old.id, tg_argv[0] using errcode = 'foreign_key_violation';
  end if;
  return old;
end
$$;

create trigger has_audits before delete on companies for each row execute function refuse_while_records_exist('audits');
create trigger has_mentions before delete on companies for each row execute function refuse_while_records_exist('mentions');
create trigger has_content before delete on companies for each row execute function refuse_while_records_exist('content');

alter table audits drop constraint audits_workspace_id_company_id_fkey;
alter table mentions drop constraint mentions_workspace_id_company_id_fkey;
alter table content drop constraint content_workspace_id_company_id_fkey;

-- Finds the active keys that are limited to a company.
create index api_keys_by_company on api_keys (workspace_id, company_id) where revoked_at is null and company_id is not null;
