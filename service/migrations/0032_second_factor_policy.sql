-- When a person signed in last, for the owners and admins of their workspaces.
alter table users add column last_signed_in_at timestamptz;
update users set last_signed_in_at = (select max(s.created_at) from sessions s where s.user_id = users.id);

-- Whether members need a second factor to see the workspace. Nodes of earlier releases do not know it.
alter table workspaces add column second_factor_required boolean not null default false;
