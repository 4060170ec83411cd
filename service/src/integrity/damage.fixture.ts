import { RECORD_RESOURCES } from '../resources/index.ts';

/** What can be wrong with the data of a workspace, and the findings of verify. */
export interface Damage {
  readonly what: string;
  /** Causes the damage. $1 is the workspace. */
  readonly sql: string;
  readonly found: readonly (readonly [string, string])[];
}

const jsonDamage: readonly (readonly [string, string])[] = [
  ['another value', `replace(doc, '"id":"', '"id":"x')`],
  ['another order', `'{"extra":1,' || substr(doc, 2)`],
  ['a space', `doc || ' '`],
  ['a missing field', `regexp_replace(doc, '^{"id":"[^"]*",', '{')`],
  ['no JSON', `'not JSON'`],
  ['nothing', `''`],
];

export const DAMAGES: readonly Damage[] = [
  ...RECORD_RESOURCES.flatMap(({ name, singular, company, list }): Damage[] =>
    jsonDamage.map(([how, expression]) => {
      const id = company === 'id' ? 'c1' : 'r1';
      return {
        what: `the JSON of one of the ${name} has ${how}`,
        sql: `update ${list.relation} set doc = ${expression} where workspace_id = $1 and id = '${id}'`,
        found: [['wire JSON', `${singular} ${id}: differs from its columns`]],
      };
    }),
  ),
  {
    what: 'a column was changed without the service',
    sql: `update audits set headline_score = 99 where workspace_id = $1`,
    found: [
      ['wire JSON', 'audit r1: differs from its columns'],
      ['wire JSON', 'audit r2: differs from its columns'],
    ],
  },
  {
    what: 'an audit has the place of another one in the order of ids',
    sql: `update audits set id_order = (select id_order from audits where workspace_id = $1 and id = 'r1')
      where workspace_id = $1 and id = 'r2'`,
    found: [['order', 'audit r2: its id_order does not sort like its id']],
  },
  {
    what: 'the counter of a workspace is too high',
    sql: `update record_counts set records = 7 where workspace_id = $1 and resource = 'audits' and company_id = ''`,
    found: [['counter', 'audits: stored 7, counted 2']],
  },
  {
    what: 'the counter of a company is too low',
    sql: `update record_counts set records = 0 where workspace_id = $1 and resource = 'mentions' and company_id = 'c1'`,
    found: [['counter', 'mentions of company c1: stored 0, counted 2']],
  },
  {
    what: 'a company without records is counted',
    sql: `insert into record_counts values ($1, 'content', 'c2', 3)`,
    found: [['counter', 'content of company c2: stored 3, counted 0']],
  },
  {
    what: 'a company that does not exist is counted',
    sql: `insert into record_counts values ($1, 'audits', 'gone', 1)`,
    found: [['counter', 'audits of company gone: stored 1, counted 0']],
  },
  {
    what: 'every counter is missing',
    sql: `delete from record_counts where workspace_id = $1`,
    found: RECORD_RESOURCES.flatMap(({ name, company }) => [
      ['counter', `${name}: stored 0, counted 2`] as const,
      ...(company === 'id' ? [] : [['counter', `${name} of company c1: stored 0, counted 2`] as const]),
    ]),
  },
  {
    what: 'a record was deleted without the service',
    sql: `delete from content where workspace_id = $1 and id = 'r2'`,
    found: [
      ['counter', 'content: stored 2, counted 1'],
      ['counter', 'content of company c1: stored 2, counted 1'],
    ],
  },
  {
    what: 'a change is missing in the feed',
    sql: `delete from changes where workspace_id = $1 and type in ('content.created', 'audit.created')`,
    found: [
      ['feed', 'audit r1: is not in the feed'],
      ['feed', 'audit r2: is not in the feed'],
      ['feed', 'content item r1: is not in the feed'],
      ['feed', 'content item r2: is not in the feed'],
    ],
  },
  {
    what: 'the feed has a record that does not exist',
    sql: `delete from content where workspace_id = $1 and id = 'r2' and set_config('svc.feed', 'kept', true) is not null`,
    found: [
      ['counter', 'content: stored 2, counted 1'],
      ['counter', 'content of company c1: stored 2, counted 1'],
      ['feed', 'content item r2: is in the feed and does not exist'],
    ],
  },
  {
    what: 'a record has changed since its last change in the feed',
    sql: `update companies set name = 'x', doc = replace(doc, '"name":"Acme"', '"name":"x"')
      where workspace_id = $1 and id = 'c1' and set_config('svc.feed', 'kept', true) is not null`,
    found: [['feed', 'company c1: differs from its last change']],
  },
  {
    what: 'changes of the feed cannot be read',
    sql: `update changes set items = 'x' where workspace_id = $1 and type = 'mention.created'`,
    found: [
      ['feed', 'cannot be read'],
      ['feed', 'mention r1: is not in the feed'],
      ['feed', 'mention r2: is not in the feed'],
    ],
  },
  {
    what: 'the clock is earlier than a record',
    sql: `update workspace_clocks set last_at = last_at - interval '1 microsecond' where workspace_id = $1`,
    found: [['clock', 'the clock of the records is earlier']],
  },
  {
    what: 'the clock is earlier than a deletion',
    sql: `update changes set last_at = last_at + interval '1 day' where workspace_id = $1 and last_at = (
        select max(last_at) from changes where workspace_id = $1)`,
    found: [['clock', 'the clock of the records is earlier']],
  },
  {
    what: 'the clock is earlier than a change',
    sql: `update content set updated_at = updated_at + interval '1 day' where workspace_id = $1 and id = 'r1'`,
    found: [
      ['wire JSON', 'content item r1: differs from its columns'],
      ['clock', 'the clock of the records is earlier'],
    ],
  },
  {
    what: 'the clock is earlier than a key',
    sql: `insert into api_keys (workspace_id, id, name, mode, access, hint, token_index, salt, salted_hash, created_at)
      values ($1, 'k', 'k', 'live', 'read', 'k', '', '', '', now() + interval '1 day')`,
    found: [['clock', 'the clock of the records is earlier']],
  },
  {
    what: "the log's clock is earlier than an entry",
    sql: `update live_meters set last_entry_at = '2020-01-01' where workspace_id = $1`,
    found: [['clock', 'the clock of the audit log is earlier']],
  },
  {
    what: 'the clock is in the future',
    sql: `update workspace_clocks set last_at = now() + interval '5 minutes' where workspace_id = $1`,
    found: [['clock', 'the clock of the records is in the future']],
  },
  {
    what: "the log's clock is in the future",
    sql: `update live_meters set last_entry_at = now() + interval '10 years' where workspace_id = $1`,
    found: [['clock', 'the clock of the audit log is in the future']],
  },
  {
    what: 'live requests are counted for a future month',
    sql: `update live_meters set month = date_trunc('month', now()) + interval '1 month' where workspace_id = $1`,
    found: [['quota', 'live requests are counted for a future month']],
  },
  {
    what: 'usage is counted up to a time that has not come',
    sql: `update usage_marks set counted_until = '2100-01-01T00:00:00Z' where workspace_id = $1`,
    found: [['usage', 'counted until 2100-01-01 00:00:00+00, later than the newest entry']],
  },
  {
    what: 'an entry was counted twice',
    sql: `update key_usage set requests = requests + 1 where workspace_id = $1 and key_id = 'live'`,
    found: [['usage', 'stored 3 (failed: 1), counted 2 (failed: 1)']],
  },
  {
    what: 'an error was not counted',
    sql: `update key_usage set errors = 0 where workspace_id = $1 and key_id = 'live'`,
    found: [['usage', 'stored 2 (failed: 0), counted 2 (failed: 1)']],
  },
  {
    what: 'the usage of a day is missing',
    sql: `delete from key_usage where workspace_id = $1 and key_id = 'live'`,
    found: [['usage', 'stored 0 (failed: 0), counted 2 (failed: 1)']],
  },
  {
    what: 'requests without entries are counted',
    sql: `insert into key_usage (workspace_id, key_id, day, requests, errors)
      select $1, 'live', max(created_at)::date + 1, 4, 0 from audit_log where workspace_id = $1`,
    found: [['usage', 'stored 4 (failed: 0), counted 0 (failed: 0)']],
  },
  {
    what: 'the words of records are missing in the index',
    sql: `insert into word_blocks select workspace_id, 'mentions', false, created_at, id, array['r1'], ' wrong'
      from mentions where workspace_id = $1 and id = 'r2'`,
    found: [['words', 'mentions: a search misses words of 2 records, such as r1']],
  },
];
