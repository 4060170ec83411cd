-- An import of the dashboard belongs to an Idempotency-Key (dashboard_idempotency_keys names it). Each of its transactions
-- writes down how far the file is written, so that a repeat of one that broke off adds only the rest. Its counts in
-- "existing" and "refused" are then those of the file up to there.
alter table imports
  -- The request that imports. A transaction of any other one writes nothing.
  add column run_id text collate "C",
  -- Until then a repeat is refused: the request still imports. Null: it has ended.
  add column active_until timestamptz,
  -- Records of the file, good and bad, that are dealt with.
  add column records_read bigint not null default 0,
  -- SHA-256 of them: a repeat must send the same ones. Null: there are none.
  add column digest bytea;
