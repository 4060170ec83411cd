-- Answers of POST requests that carried an Idempotency-Key, kept for 24 hours. An answer is stored in the
-- transaction that did the work: either both are there or neither is, whenever the service is killed.
create table idempotency_keys (
  workspace_id text collate "C" not null references workspaces on delete cascade,
  idempotency_key text collate "C" not null,
  -- SHA-256 of method, path and body: a repeat must ask for the same.
  fingerprint bytea not null,
  status smallint not null,
  headers json not null,
  body text not null,
  created_at timestamptz not null default now(),
  primary key (workspace_id, idempotency_key)
);
create index idempotency_keys_by_created on idempotency_keys (created_at);
