-- What a rotation of the deployment's secret needs to know.

-- Since when a secret has been the issuing one; of several, the last one to start issues. So a service that comes
-- back with an earlier secret is noticed, and it is known until when cursors of the one before may be in use.
alter table deployment_secrets add column issuing_since timestamptz not null default now();
update deployment_secrets set issuing_since = first_used_at;

-- The secret that token_index was made with. Null: not known, until the key is used.
alter table api_keys add column secret_fingerprint text collate "C";
update api_keys set secret_fingerprint = (select fingerprint from deployment_secrets)
  where (select count(*) from deployment_secrets) = 1;

-- The period of the last code that was accepted: a code works once (RFC 6238, 5.2).
alter table second_factors add column last_used_step bigint;
