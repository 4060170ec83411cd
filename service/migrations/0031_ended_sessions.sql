-- Why sessions ended, by the SHA-256 of their token, so that a browser that still has the cookie is told. Like sessions not a
-- workspace's data. The row goes when the cookie has expired.

create table ended_sessions (
  token_hash bytea primary key,
  reason text collate "C" not null,
  ended_at timestamptz not null default now()
);
create index ended_sessions_by_end on ended_sessions (ended_at);
