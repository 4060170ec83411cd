import { expect, test } from 'vitest';
import { createTestDatabase } from '../../service/test/harness/database.ts';
import { describeSchema } from './describe.ts';

const TABLES = [
  `create table alpha (
     id bigint generated always as identity primary key,
     name text collate "C" not null default 'x' check (name <> ''),
     size numeric(10, 2),
     twice numeric generated always as (size * 2) stored,
     unique (name, size)
   ) with (fillfactor = 70)`,
  'create table beta (id bigint references alpha on delete cascade)',
] as const;

const REST = [
  'create index beta_by_id on beta (id) where id > 3',
  `create type mood as enum ('good', 'bad')`,
  'create sequence numbers increment 5',
  'create view gamma as select id from alpha',
  `create function one() returns trigger language plpgsql as $$ begin return new; end $$`,
  'create trigger watch before insert on beta for each row execute function one()',
] as const;

const EXPECTED = [
  "create type mood as enum ('good', 'bad');",
  'create sequence numbers as bigint start 1 increment 5;',
  `create table alpha (
  id bigint generated always as identity not null,
  name text collate "C" default 'x'::text not null,
  size numeric(10,2),
  twice numeric generated always as ((size * (2)::numeric)) stored,
  constraint alpha_pkey PRIMARY KEY (id),
  constraint alpha_name_check CHECK (name <> ''::text),
  constraint alpha_name_size_key UNIQUE (name, size)
) with (fillfactor=70);`,
  `create table beta (
  id bigint,
  constraint beta_id_fkey FOREIGN KEY (id) REFERENCES alpha(id) ON DELETE CASCADE
);`,
  'CREATE INDEX beta_by_id ON public.beta USING btree (id) WHERE (id > 3);',
  'create view gamma as\n SELECT id\n   FROM alpha;',
  'CREATE OR REPLACE FUNCTION public.one()',
  'CREATE TRIGGER watch BEFORE INSERT ON public.beta FOR EACH ROW EXECUTE FUNCTION one();',
] as const;

async function described(statements: readonly string[]): Promise<string> {
  const { pool } = await createTestDatabase({ template: false });
  await pool.query(statements.join(';\n'));
  const client = await pool.connect();
  try {
    return await describeSchema(client);
  } finally {
    client.release();
  }
}

test('describes every type, sequence, table, index, view, function and trigger', async () => {
  const text = await described([...TABLES, ...REST]);
  for (const expected of EXPECTED) expect(text.replace('SELECT alpha.id', 'SELECT id')).toContain(expected);
});

test('does not depend on the order in which the objects were created', async () => {
  const [first, second] = TABLES;
  const reordered = [
    'create table beta (id bigint)',
    first,
    'alter table beta add constraint beta_id_fkey foreign key (id) references alpha on delete cascade',
  ];
  expect(await described(reordered)).toBe(await described([first, second]));
});

test('leaves out partitions and other schemas', async () => {
  const parent = 'create table log (at date not null) partition by range (at)';
  const index = 'create index log_by_at on log (at)';
  const partition = `create table log_2026 partition of log for values from ('2026-01-01') to ('2027-01-01')`;
  const foreign = 'create schema other; create table other.secret (id int)';
  const text = await described([parent, index, partition, foreign]);
  expect(text).toBe(await described([parent, index]));
  expect(text).toContain('partition by RANGE (at)');
});
