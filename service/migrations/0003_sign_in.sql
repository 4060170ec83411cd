-- Sign-in to the dashboard: what better-auth keeps (its names are mapped in src/dashboard/auth/schema.ts), and the
-- one-time links that make accounts.
--
-- People are not a workspace's data: users, sessions, accounts, verifications, rate_limits and one_time_links stay
-- small, are never on the way of a request with a key, and are reference tables where the schema is distributed.
-- Members and invitations belong to a workspace, so their keys start with it like every other.

create table users (
  id text collate "C" primary key,
  name text not null,
  -- In lower case: better-auth looks for it so.
  email text collate "C" not null unique check (email = lower(email)),
  email_verified boolean not null default false,
  image text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table sessions (
  id text collate "C" primary key,
  -- The cookie holds the token and its signature under the deployment's secret; a token alone opens nothing.
  token text collate "C" not null unique,
  user_id text collate "C" not null references users on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  ip_address text,
  user_agent text,
  -- Wanted by better-auth; the dashboard names the workspace in each path instead.
  active_workspace_id text collate "C"
);
create index sessions_by_user on sessions (user_id);

-- One row per way to sign in; here the password alone, as scrypt's salt and hash.
create table accounts (
  id text collate "C" primary key,
  user_id text collate "C" not null references users on delete cascade,
  provider_id text not null,
  account_id text not null,
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index accounts_by_user on accounts (user_id);

create table verifications (
  id text collate "C" primary key,
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index verifications_by_identifier on verifications (identifier);

-- Attempts per address and path, counted for all nodes.
create table rate_limits (
  id text collate "C" primary key,
  key text collate "C" not null unique,
  count integer not null,
  -- Milliseconds since the epoch.
  last_request bigint not null
);

-- A workspace IS an organization: one row, one name, one id. better-auth reads it through this view and has no way
-- to make or remove one; src/workspaces.ts makes workspaces.
create view organizations as
select id, name, id as slug, null::text as logo, null::text as metadata, created_at from workspaces;

create table members (
  workspace_id text collate "C" not null references workspaces on delete cascade,
  user_id text collate "C" not null references users on delete cascade,
  id text collate "C" not null,
  role text not null check (role in ('owner', 'admin', 'viewer')),
  created_at timestamptz not null,
  primary key (workspace_id, user_id)
);
create index members_by_user on members (user_id);
create index members_by_id on members (id);

create table invitations (
  workspace_id text collate "C" not null references workspaces on delete cascade,
  id text collate "C" not null,
  email text collate "C" not null,
  role text not null check (role in ('owner', 'admin', 'viewer')),
  status text not null check (status in ('pending', 'accepted', 'rejected', 'canceled')),
  inviter_id text collate "C" not null references users on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  primary key (workspace_id, id)
);
create index invitations_by_id on invitations (id);
create index invitations_by_email on invitations (email);

-- Links that stand in for a password once. Using one deletes its row, so that of two at the same instant one wins.
create table one_time_links (
  -- SHA-256 of 256 random bits; the token itself is in the link alone.
  token_hash bytea primary key,
  purpose text not null check (purpose in ('set-up', 'sign-in', 'invitation')),
  -- The user of a sign-in, the invitation of an invitation.
  subject text collate "C",
  expires_at timestamptz not null
);
