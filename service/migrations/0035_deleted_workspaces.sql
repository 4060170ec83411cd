-- When an owner deleted the workspace. A job removes its data seven days later. Nodes of earlier releases do not know it.
alter table workspaces add column deleted_at timestamptz;
create index workspaces_by_deletion on workspaces (deleted_at) where deleted_at is not null;

-- Whether the workspace of the key is deleted. Nodes of earlier releases accept such a key.
alter table api_keys add column workspace_deleted boolean not null default false;
