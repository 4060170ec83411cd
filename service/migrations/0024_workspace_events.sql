-- Events of workspaces that are not in the feed yet. They get a place in it when the clock of their workspace is locked. What
-- causes them, such as the revocation of a key, must not wait for that lock.
create table pending_events (
  workspace_id text collate "C" not null references workspaces on delete cascade,
  id text collate "C" not null,
  created_at timestamptz not null default clock_timestamp(),
  type text collate "C" not null,
  record_id text collate "C" not null,
  company_id text collate "C",
  doc text not null,
  primary key (workspace_id, id)
);

-- The parts of the live quota that events were created for, so that each has one event a month.
create table quota_notices (
  workspace_id text collate "C" not null references workspaces on delete cascade,
  month date not null,
  percent smallint not null,
  live_quota bigint not null,
  primary key (workspace_id, month, percent, live_quota)
);
