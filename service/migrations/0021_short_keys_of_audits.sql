-- A workspace, a company and an id take 31 bytes each in every index of the audits. The table that replaces `audits` has
-- shorter keys, with the same order (docs/decisions/0021). This migration creates it; the service copies the audits into it
-- in small transactions, while nodes of earlier versions read and write `audits`; the next migration replaces the table.

-- A number for a company. Two companies with the same number are possible, but nobody can find one for a given company.
create function company_key(workspace_id text, company_id text) returns bigint language sql immutable parallel safe
return ('x' || left(encode(sha256((workspace_id || '/' || company_id)::bytea), 'hex'), 16))::bit(64)::bigint;

-- The columns are in the order of their alignment, so that no space is lost.
create table audits_next (
  created_at timestamptz not null,
  completed_at timestamptz not null,
  company_key bigint not null generated always as (company_key(workspace_id, company_id)) stored,
  headline_score smallint not null check (headline_score between 0 and 100),
  -- Sorts like the id within the workspace. 5 bytes: a rank, for an id after all ids that existed. More: the rank of the last
  -- such id before this one, and this id.
  id_order bytea not null,
  workspace_id text collate "C" not null,
  id text collate "C" not null,
  company_id text collate "C" not null,
  doc text not null,
  primary key (workspace_id, id) with (fillfactor = 100)
);
create index audits_next_by_created on audits_next (hashtextextended(workspace_id, 0), created_at, id_order) with (fillfactor = 100);
create index audits_next_by_completed on audits_next (hashtextextended(workspace_id, 0), completed_at, id_order);
create index audits_next_by_score on audits_next (hashtextextended(workspace_id, 0), headline_score, id_order);
create index audits_next_by_company_created on audits_next (company_key, created_at, id_order);
create index audits_next_by_company_completed on audits_next (company_key, completed_at, id_order);
create index audits_next_by_company_score on audits_next (company_key, headline_score, id_order);

-- The last id of each workspace that is copied. '~', which is after every id: all are.
create table copied_audits (
  workspace_id text collate "C" primary key,
  copied_to text collate "C" not null
);

-- Copies the next audits of a workspace, in the order of their ids. Returns how many. The caller excludes writers.
create function copy_audits(workspace text, most bigint) returns bigint language plpgsql
  set enable_sort = off set enable_seqscan = off set enable_bitmapscan = off set jit = off as
$$
declare
  after text;
  rank bigint;
  copied bigint;
  last_id text;
begin
  select copied_to into after from copied_audits where workspace_id = workspace;
  after := coalesce(after, '');
  select ('x' || encode(substr(id_order, 1, 5), 'hex'))::bit(40)::bigint into rank
    from audits_next where workspace_id = workspace order by id desc limit 1;
  with source as materialized (
    select * from audits where workspace_id = workspace and id > after order by id limit most
  ), written as (
    insert into audits_next (workspace_id, id, company_id, headline_score, completed_at, created_at, doc, id_order)
    select workspace_id, id, company_id, headline_score, completed_at, created_at, doc,
      decode(lpad(to_hex(coalesce(rank, 0) + row_number() over ()), 10, '0'), 'hex')
    from source returning id
  )
  select count(*), max(id) into copied, last_id from written;
  insert into copied_audits values (workspace, case when copied < most then '~' else last_id end)
    on conflict (workspace_id) do update set copied_to = excluded.copied_to;
  return copied;
end
$$;

-- Nodes that write to `audits` meanwhile write to both tables. An audit that the copy has not reached is left to the copy.
create function mirror_audit() returns trigger language plpgsql
  set enable_sort = off set enable_seqscan = off set enable_bitmapscan = off set jit = off as
$$
begin
  if tg_op <> 'INSERT' then
    delete from audits_next where workspace_id = old.workspace_id and id >= old.id and id <= old.id;
  end if;
  if tg_op <> 'DELETE' then
    insert into audits_next (workspace_id, id, company_id, headline_score, completed_at, created_at, doc, id_order)
    select new.workspace_id, new.id, new.company_id, new.headline_score, new.completed_at, new.created_at, new.doc,
      coalesce((select substr(id_order, 1, 5) from audits_next where workspace_id = new.workspace_id and id < new.id
        order by id desc limit 1), '\x0000000000') || new.id::bytea
    from copied_audits where workspace_id = new.workspace_id and copied_to >= new.id;
  end if;
  return null;
end
$$;
create trigger mirror_audit after insert or update or delete on audits for each row execute function mirror_audit();
