-- What a form of the dashboard has created, by the Idempotency-Key of the form, kept for 24 hours. The row is written in
-- the transaction that creates the thing. It holds no response: a token or a link is never stored.
create table dashboard_idempotency_keys (
  user_id text collate "C" not null references users on delete cascade,
  idempotency_key text collate "C" not null,
  -- SHA-256 of method, path and body: a repeat must ask for the same.
  fingerprint bytea not null,
  -- Id of the key, workspace or invitation.
  created_id text collate "C" not null,
  created_at timestamptz not null default now(),
  primary key (user_id, idempotency_key)
);
create index dashboard_idempotency_keys_by_created on dashboard_idempotency_keys (created_at);
