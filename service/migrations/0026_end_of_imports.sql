-- When the import last added records, so that a change can be connected with its import. Null: it is of an earlier version.
alter table imports add column last_at timestamptz;
