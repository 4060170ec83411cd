import { expect, test } from 'vitest';
import { faultsOf, type Rule } from './faults.ts';
import { readSchema } from './schema.ts';

/** Each rule finds its fault in a statement of the kind that this service could have. */

const schema = readSchema();

const rulesOf = (sql: string): readonly Rule[] => [...new Set(faultsOf(sql, schema).map(({ rule }) => rule))];

test.each<readonly [Rule, string]>([
  ['unbound', 'select doc from audits where id = $1'],
  ['unbound', 'select doc from audits where workspace_id >= $1 and workspace_id <= $1'],
  ['unbound', 'select doc from audits where workspace_id = $1 or id = $2'],
  ['unbound', 'select 1 from audits a join companies c on c.id = a.company_id where a.workspace_id = $1'],
  ['unbound', 'select (select count(*) from mentions) from companies where workspace_id = $1'],
  [
    'unbound',
    'update audits set doc = $2 where ctid = (select ctid from audits where workspace_id = $1 limit 1)',
  ],
  [
    'unbound',
    'delete from content using companies c where c.workspace_id = $1 and c.id = content.company_id',
  ],
  ['unbound', 'insert into traffic select * from traffic'],
  [
    'unbound',
    `with c as (select * from companies) select * from c join audits a using (id) where a.workspace_id = $1`,
  ],
  ['unbound', 'select doc from api_key_records'],
  ['unbound', 'select name from workspaces where name = $1'],
  ['several workspaces', 'select doc from audits where workspace_id = any($1)'],
  ['several workspaces', 'select doc from audits where workspace_id in ($1, $2)'],
  [
    'several workspaces',
    'select 1 from audits a, mentions m where a.workspace_id = $1 and m.workspace_id = $2',
  ],
  [
    'several workspaces',
    `select last_at from unnest($1::text[]) as w (id) cross join lateral (
      select last_at from workspace_clocks where workspace_id = w.id) c`,
  ],
  ['writes several workspaces', 'update live_meters set live_quota = $2 where workspace_id = any($1)'],
  [
    'writes several workspaces',
    'insert into traffic (workspace_id, hour, mode, bucket, requests, errors) values ($1, $2, $3, 1, 1, 0), ($4, $2, $3, 1, 1, 0)',
  ],
  [
    'writes several workspaces',
    `insert into usage_marks (workspace_id) select workspace_id from json_to_recordset($1) as t (workspace_id text)`,
  ],
  ['locks several workspaces', `select 1 from members where user_id = $1 limit 1 for share`],
  ['local table', 'select 1 from schema_migrations, audits where workspace_id = $1'],
  [
    'system catalog',
    `select 1 from workspace_clocks where workspace_id = $1 and not exists (select from pg_locks)`,
  ],
  ['unknown function', 'update audits set doc = unheard(doc) where workspace_id = $1'],
  ['volatile change', 'update api_keys set revoked_at = clock_timestamp() where workspace_id = $1'],
  ['volatile change', 'delete from imports where workspace_id = $1 and active_until < clock_timestamp()'],
  [
    'volatile change',
    'with gone as (update imports set finished = true where workspace_id = $1 and last_at < clock_timestamp()) select 1',
  ],
  [
    'volatile change',
    'update imports set last_at = t.at from (select clock_timestamp() as at) t where workspace_id = $1',
  ],
  [
    'stable change of a column',
    `update workspace_clocks set last_at = last_at + interval '1 microsecond' where workspace_id = $1`,
  ],
  [
    'stable change of a column',
    `delete from traffic where workspace_id = $1 and hour - interval '1 day' > $2`,
  ],
  ['stable change of a column', 'update live_meters set month = last_entry_at::date where workspace_id = $1'],
  [
    'mutable case in a change',
    `update imports set last_at = case when finished then now() else last_at end where workspace_id = $1`,
  ],
  [
    'mutable case in a change',
    'update imports set last_at = coalesce(last_at, now()) where workspace_id = $1',
  ],
  [
    'mutable case in a change',
    `update imports set last_at = at from (select case when $2 then now() end as at) times where workspace_id = $1`,
  ],
  [
    'mutable returning',
    `delete from imports where workspace_id = $1 returning to_char(last_at at time zone 'UTC', 'YYYY')`,
  ],
  [
    'mutable returning',
    `update imports set finished = true where workspace_id = $1 returning set_config('a', 'b', true)`,
  ],
  [
    'mutable conflict',
    `insert into imports (workspace_id, id, records) values ($1, $2, 0)
     on conflict (workspace_id, id) do update set last_at = now()`,
  ],
  [
    'mutable conflict',
    `insert into sign_in_attempts as a (bucket, attempts, ends_at) values ($1, 1, $2)
     on conflict (bucket) do update set attempts = 1 where a.ends_at < now()`,
  ],
  [
    'subquery in values',
    `insert into usage_marks values ($1, (select max(last_entry_at) from live_meters where workspace_id = $1))`,
  ],
])('finds the fault: %s: %s', (rule, sql) => {
  expect(rulesOf(sql)).toContain(rule);
});

test.each([
  'select doc from audits where workspace_id = $1 and id = any($2)',
  'select 1 from audits a join companies c on c.workspace_id = a.workspace_id where a.workspace_id = $1',
  'select 1 from members m join users u on u.id = m.user_id where m.workspace_id = $1',
  `with c as (select workspace_id, id from companies where workspace_id = $1) select 1 from c join audits using (workspace_id)`,
  'select 1 from audits where workspace_id = $1 union all select 1 from mentions where workspace_id = $1',
  'select w.name from workspaces w join live_meters m on m.workspace_id = w.id where w.id = $1',
  'select doc from api_key_records where workspace_id = $1',
  'select 1 from audits where (workspace_id, id) = ($1, $2)',
  'insert into traffic select $1, * from unnest($2::timestamptz[], $3::text[], $4::smallint[], $5::bigint[], $6::bigint[])',
  'insert into pending_events (workspace_id, id, type, record_id, doc) values ($1, $2, $3, $4, $5)',
  'update api_keys set revoked_at = statement_timestamp() where workspace_id = $1 and id = $2',
  'update imports set last_at = (select clock_timestamp()) where workspace_id = $1',
  'update imports set last_at = case when finished then (select now()) else last_at end where workspace_id = $1',
  `update workspace_clocks set last_at = ((last_at at time zone 'UTC') + interval '1 microsecond') at time zone 'UTC'
   where workspace_id = $1 returning (extract(epoch from last_at at time zone 'UTC') * 1000000)::bigint`,
  'select id from users where email = $1 for update',
  'declare exported cursor for select doc from audits where workspace_id = $1',
  `select relname from pg_class where relname = $1`,
])('finds nothing wrong: %s', (sql) => {
  expect(faultsOf(sql, schema)).toEqual([]);
});

test.each([
  [
    'create table notes (workspace_id text primary key, id text); create unique index notes_by_id on notes (id);',
    'notes: the unique index on id does not contain workspace_id',
  ],
  [
    'create table notes (workspace_id text, id text, primary key (id));',
    'notes: the unique index on id does not contain workspace_id',
  ],
  [
    `create table notes (workspace_id text, id text, primary key (workspace_id, id));
     create table lines (workspace_id text, id text, note_id text, primary key (workspace_id, id),
       foreign key (id, note_id) references notes (workspace_id, id));`,
    'lines: the foreign key to notes is not by workspace',
  ],
  [
    `create table notes (workspace_id text, id text, primary key (workspace_id));
     create table people (id text primary key, note_id text, foreign key (note_id) references notes (workspace_id));`,
    'people: the foreign key to notes refers from a reference table to a distributed one',
  ],
])('finds what cannot be distributed: %s', (sql, fault) => {
  expect(readSchema(sql).faults).toEqual([fault]);
});
