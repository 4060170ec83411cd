-- The second factor of a sign-in: codes of an authenticator, and backup codes for the day on which it is lost. Kept
-- by better-auth; secret and codes are encrypted under the deployment's secret.

alter table users add column two_factor_enabled boolean not null default false;

create table second_factors (
  id text collate "C" primary key,
  user_id text collate "C" not null references users on delete cascade,
  secret text not null,
  backup_codes text not null,
  -- False until the first code has shown that the authenticator has the secret.
  verified boolean not null default true,
  -- One after the other; too many lock the second step for a while, whatever the address they come from.
  failed_verification_count integer not null default 0,
  locked_until timestamptz
);
create index second_factors_by_user on second_factors (user_id);
create index second_factors_by_secret on second_factors (secret);
