-- Attempts to sign in, counted for all nodes: per address and per account for devices that are not known, per device
-- for those that are. Like rate_limits not a workspace's data. A bucket is a hash: it says nothing of whom it counts.

create table sign_in_attempts (
  bucket text collate "C" primary key,
  attempts integer not null,
  ends_at timestamptz not null
);
create index sign_in_attempts_by_end on sign_in_attempts (ends_at);
