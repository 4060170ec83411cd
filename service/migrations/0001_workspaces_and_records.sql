-- Workspaces and their records.
--
-- Every primary key, unique index and foreign key starts with workspace_id, so that the schema can be
-- distributed by workspace. Ids collate "C": their order is the order of their bytes, on every machine.
-- Every record carries its wire JSON (doc) beside the key columns that are sorted and filtered on; a page
-- is one string_agg of docs, nothing is decoded on the way.

create table workspaces (
  id text collate "C" primary key,
  name text not null,
  created_at timestamptz not null default now(),
  -- Requests a second that one key may make; null: no limit.
  burst_limit integer check (burst_limit > 0)
);

-- The clock of a workspace's records. Each writing transaction locks the row and takes created_at from it, so
-- created_at strictly rises in commit order: whoever walks towards newer records never misses a late commit.
create table workspace_clocks (
  workspace_id text collate "C" primary key references workspaces on delete cascade,
  last_at timestamptz not null default 'epoch'
) with (fillfactor = 50);

-- Kept counters: one row per company and one (company_id = '') for the whole workspace, written under the
-- clock's lock in the transaction that writes the records.
create table record_counts (
  workspace_id text collate "C" not null references workspaces on delete cascade,
  resource text collate "C" not null,
  company_id text collate "C" not null,
  records bigint not null check (records >= 0),
  primary key (workspace_id, resource, company_id)
) with (fillfactor = 70);

create table companies (
  workspace_id text collate "C" not null references workspaces on delete cascade,
  id text collate "C" not null,
  name text not null,
  domain text,
  created_at timestamptz not null,
  doc text not null,
  primary key (workspace_id, id)
);
create index companies_by_created on companies (workspace_id, created_at, id);

create table audits (
  workspace_id text collate "C" not null,
  id text collate "C" not null,
  company_id text collate "C" not null,
  headline_score smallint not null check (headline_score between 0 and 100),
  completed_at timestamptz not null,
  created_at timestamptz not null,
  doc text not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, company_id) references companies
);
-- The default order's index holds the doc, so that a page needs no visit to the table. An audit's doc has a
-- small upper bound; other resources' docs may exceed what an index row can hold and stay out.
create index audits_by_created on audits (workspace_id, created_at, id) include (doc);
create index audits_by_completed on audits (workspace_id, completed_at, id);
create index audits_by_score on audits (workspace_id, headline_score, id);
create index audits_by_company_created on audits (workspace_id, company_id, created_at, id);
create index audits_by_company_completed on audits (workspace_id, company_id, completed_at, id);
create index audits_by_company_score on audits (workspace_id, company_id, headline_score, id);

create table mentions (
  workspace_id text collate "C" not null,
  id text collate "C" not null,
  company_id text collate "C" not null,
  source text not null,
  url text not null,
  title text not null,
  excerpt text not null,
  sentiment text not null check (sentiment in ('positive', 'neutral', 'negative')),
  published_at timestamptz not null,
  created_at timestamptz not null,
  doc text not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, company_id) references companies
);
create index mentions_by_created on mentions (workspace_id, created_at, id);
create index mentions_by_published on mentions (workspace_id, published_at, id);
create index mentions_by_company_created on mentions (workspace_id, company_id, created_at, id);
create index mentions_by_company_published on mentions (workspace_id, company_id, published_at, id);

create table content (
  workspace_id text collate "C" not null,
  id text collate "C" not null,
  company_id text collate "C" not null,
  title text not null,
  url text,
  status text not null check (status in ('draft', 'in_review', 'scheduled', 'published', 'archived')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  published_at timestamptz,
  doc text not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, company_id) references companies
);
create index content_by_created on content (workspace_id, created_at, id);
create index content_by_status_created on content (workspace_id, status, created_at, id);
create index content_by_company_created on content (workspace_id, company_id, created_at, id);
create index content_by_company_status_created on content (workspace_id, company_id, status, created_at, id);
