-- An Idempotency-Key is a name of its own for each company that a key is limited to: the name in this table then begins
-- with the company's id and a space, which no Idempotency-Key holds. Rows from before belong to all keys of the workspace.
-- They are gone after a day.
alter table idempotency_keys add column before_scopes boolean not null default true;
alter table idempotency_keys alter column before_scopes set default false;

-- The answer to a batch is not stored twice: what the records do not say of it is enough to make it again from the body
-- of the repeat, which is the same as the first one.
alter table idempotency_keys alter column body drop not null;
alter table idempotency_keys add column batch json;
alter table idempotency_keys add constraint idempotency_keys_answer check ((body is null) <> (batch is null)) not valid;
