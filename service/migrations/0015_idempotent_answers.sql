-- Nodes of 0.1.0 keep answers of requests with an Idempotency-Key in another way: beside new nodes they would repeat a batch
-- without its body, and create twice what a key of one company creates. So the answers get a table of another name.
alter table idempotency_keys rename to idempotent_answers;

-- What such nodes have written since migration 11.
update idempotent_answers set before_scopes = true where not before_scopes and batch is null;

-- A node of 0.1.0 asks the old name before it does any work. It takes this error for a database that is not there yet: it
-- answers 503 with Retry-After, and a new node serves the repeat.
create function refuse_old_node() returns table (
  workspace_id text, idempotency_key text, fingerprint bytea, status smallint, headers json, body text, created_at timestamptz
) language plpgsql as $$
begin
  raise exception 'the database is newer than this program, which cannot serve requests with an Idempotency-Key any more. Start the newer program.'
    using errcode = 'cannot_connect_now';
end $$;
create view idempotency_keys as select * from refuse_old_node();
