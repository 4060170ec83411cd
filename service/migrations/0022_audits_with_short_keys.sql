-- Replaces `audits` by the table with short keys. Nodes of earlier versions read and write it as before: the columns that
-- they know have the same names, and a trigger adds the rest.
lock table audits in access exclusive mode;
-- To compare the numbers of rows in the shortest time.
set local enable_seqscan = on;

-- The service has copied the audits before. This copies what is left, such as those of a workspace that was created meanwhile.
do $$
declare
  workspace text;
begin
  for workspace in
    select id from workspaces w
    where not exists (select from copied_audits c where c.workspace_id = w.id and c.copied_to = '~') order by id
  loop
    perform copy_audits(workspace, 9223372036854775807);
  end loop;
  if (select count(*) from audits) <> (select count(*) from audits_next) then
    raise exception 'audits has % rows, audits_next has %',
      (select count(*) from audits), (select count(*) from audits_next);
  end if;
end
$$;

drop table audits;
drop table copied_audits;
drop function copy_audits(text, bigint), mirror_audit();
alter table audits_next rename to audits;
alter table audits rename constraint audits_next_headline_score_check to audits_headline_score_check;
alter index audits_next_pkey rename to audits_pkey;
alter index audits_next_by_created rename to audits_by_created;
alter index audits_next_by_completed rename to audits_by_completed;
alter index audits_next_by_score rename to audits_by_score;
alter index audits_next_by_company_created rename to audits_by_company_created;
alter index audits_next_by_company_completed rename to audits_by_company_completed;
alter index audits_next_by_company_score rename to audits_by_company_score;

-- An audit of a node that does not know id_order gets one after the audit before it.
create function order_audit() returns trigger language plpgsql
  set enable_sort = off set enable_seqscan = off set enable_bitmapscan = off set jit = off as
$$
begin
  new.id_order := coalesce((select substr(id_order, 1, 5) from audits
    where workspace_id = new.workspace_id and id < new.id order by id desc limit 1), '\x0000000000') || new.id::bytea;
  return new;
end
$$;
create trigger order_audit before insert on audits for each row when (new.id_order is null) execute function order_audit();

-- The index that begins with the company has another key now.
create function refuse_while_audits_exist() returns trigger language plpgsql
  set enable_sort = off set enable_seqscan = off set enable_bitmapscan = off set jit = off as
$$
declare
  key bigint := company_key(old.workspace_id, old.id);
  found_id text;
begin
  select id into found_id from audits
    where company_key >= key and company_key <= key and workspace_id = old.workspace_id and company_id = old.id
    order by company_key, created_at, id_order limit 1;
  if found_id is not null then
    raise exception 'the company % still has audits', old.id using errcode = 'foreign_key_violation';
  end if;
  return old;
end
$$;
drop trigger has_audits on companies;
create trigger has_audits before delete on companies for each row execute function refuse_while_audits_exist();
