-- The deployment's secrets that this database has been used with, by a fingerprint that says nothing about them. Keys
-- are found by an index that is made with the secret: under another one none would be found, so a service that comes
-- with another one refuses to start. Not a workspace's data: one row per secret, a reference table where the schema
-- is distributed.

create table deployment_secrets (
  fingerprint text collate "C" primary key,
  first_used_at timestamptz not null default now()
);
