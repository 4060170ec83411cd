import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SEARCHED_ROWS_MAX } from '../../src/config/limits.ts';
import { inTransaction } from '../../src/database/pool.ts';
import { searchCondition } from '../../src/list/word-search.ts';
import { insertRecords } from '../../src/records/insert.ts';
import type { RecordInput } from '../../src/records/row.ts';
import type { Resource } from '../../src/resources/define.ts';
import { COMPANY } from '../harness/lists.ts';
import { inCluster } from '../harness/locks.ts';
import { indexWords, resourceNamed } from '../harness/records.ts';
import { createWorld } from '../harness/world.ts';

const world = await createWorld();
const { pool } = world.service;
const RUNS = 15;
const WORDS = ['alpha', 'alphabet', 'beta', 'gamma', '東京タワー', "don't", 'two\nlines', '100 %_\\'];
const SEARCHES = [
  ...WORDS,
  ...[
    'alp',
    'beta gamma',
    'nobody',
    '東',
    'lines',
    '10 %',
    'host1.example',
    'www.host',
    'https://host2.example/',
  ],
];

const EXACT_TIME = `to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

const word = fc.constantFrom(...WORDS);
const words = fc.array(word, { minLength: 1, maxLength: 5 });
const count = fc.constantFrom(1, 3, 31, 32, 33, 70);
/** What writers and the job do. `at` chooses a record. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('create' as const), count, words }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('create earlier' as const),
      count,
      words,
      day: fc.nat({ max: 9 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('change' as const), at: fc.nat(), word }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), at: fc.nat(), count }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('create again' as const), at: fc.nat(), count, words }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('index' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never;

// A cluster of Citus has no blocks.
describe.skipIf(inCluster()).each(['companies', 'mentions', 'content'])('the words of %s', (name) => {
  const resource = resourceNamed(name);

  test('are found after any creations, changes, deletions and runs of the job, as by a comparison of all records', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        const workspaceId = await newWorkspace();
        for (const each of steps) {
          await run(workspaceId, resource, each);
          await expectSameResults(workspaceId, resource);
        }
      }),
      { numRuns: RUNS },
    );
  });
});

// A cluster of Citus has no blocks.
test.skipIf(inCluster())('records that another program creates before indexed ones are found', async () => {
  const mentions = resourceNamed('mentions');
  const workspaceId = await newWorkspace();
  await insert(workspaceId, mentions, inputs(mentions, 64, ['alpha']));
  await indexWords(pool);
  await pool.query(
    `insert into mentions select workspace_id, 'men_needle', company_id, source, url, 'A needle', excerpt, sentiment, published_at,
       '2020-01-01', doc from mentions where workspace_id = $1 limit 1`,
    [workspaceId],
  );
  await expectSameResults(workspaceId, mentions, ['needle']);
  await indexWords(pool);
  await expectSameResults(workspaceId, mentions, ['needle', ...SEARCHES]);
});

// A cluster of Citus has no blocks.
test.skipIf(inCluster())(
  'a record is found by its words after it was deleted and imported again, also the last of a block',
  async () => {
    const mentions = resourceNamed('mentions');
    const workspaceId = await newWorkspace();
    await insert(workspaceId, mentions, inputs(mentions, 64, ['alpha']));
    await indexWords(pool);
    for (const place of [1, 30, 32, 63, 64]) {
      const { rows } = await pool.query<{ id: string; createdAt: string }>(
        `delete from mentions where workspace_id = $1 and id = (select id from mentions where workspace_id = $1
         order by created_at, id offset $2 limit 1) returning id, ${EXACT_TIME} as "createdAt"`,
        [workspaceId, place - 1],
      );
      const [again] = inputs(mentions, 1, [`Needle ${place}`]);
      await insert(workspaceId, mentions, [{ ...again, ...rows[0] }]);
      await expectSameResults(workspaceId, mentions, ['needle', 'alpha']);
    }
  },
);

// A cluster of Citus has no blocks.
test.skipIf(inCluster()).each([
  { blocks: 10_000, records: 33, left: 0 },
  { blocks: 10_001, records: 33, left: 10_001 + 33 },
  { blocks: 10_000, records: 32, left: 10_000 + 32 },
])(
  '$records records before $blocks blocks are found, and leave $left blocks',
  async ({ blocks, records, left }) => {
    const mentions = resourceNamed('mentions');
    const workspaceId = await newWorkspace();
    await pool.query(
      `insert into word_blocks select $1, 'mentions', false, '2026-01-01'::timestamptz + n * interval '1 second',
         'men_' || n, array['men_' || n], ' alpha' from generate_series(1, $2) n`,
      [workspaceId, blocks],
    );
    await insert(workspaceId, mentions, inputs(mentions, records, ['needle'], '2020-01-01T00:00:00Z'));
    await expectSameResults(workspaceId, mentions, ['needle']);
    const { rows } = await pool.query<{ blocks: number }>(
      'select count(*)::int as blocks from word_blocks where workspace_id = $1',
      [workspaceId],
    );
    expect(rows[0]?.blocks).toBe(left);
  },
);

async function newWorkspace(): Promise<string> {
  const workspaceId = await world.service.workspace();
  await insert(workspaceId, resourceNamed('companies'), [{ id: COMPANY, name: 'Zero', domain: null }]);
  return workspaceId;
}

const insert = (workspaceId: string, resource: Resource, inputs: readonly RecordInput[]) =>
  inTransaction(pool, (client) => insertRecords(client, workspaceId, resource, inputs));

let created = 0;

function inputs(
  { name, fields, idPrefix }: Resource,
  number: number,
  titles: readonly string[],
  createdAt?: string,
) {
  return Array.from({ length: number }, (_, i): RecordInput => {
    created += 1;
    const title = `${titles[i % titles.length]} ${created % 7 === 0 ? 'common' : ''}`.trim();
    const host = `${created % 2 === 0 ? 'www.' : ''}host${created % 3}.example`;
    const texts =
      name === 'companies' ? { name: title, domain: host } : { title, url: `https://${host}/${created}` };
    const examples = Object.entries(fields).flatMap(([field, { example }]) =>
      ['createdAt', 'updatedAt'].includes(field) ? [] : [[field, example]],
    );
    const others: RecordInput = Object.fromEntries(examples);
    const own = createdAt === undefined ? {} : { createdAt };
    return {
      ...others,
      ...(name === 'companies' ? {} : { companyId: COMPANY }),
      ...texts,
      ...own,
      id: `${idPrefix}_${created}`,
    };
  });
}

async function run(workspaceId: string, resource: Resource, each: Step): Promise<void> {
  const table = resource.list.relation;
  const [title, url] = table === 'companies' ? ['name', 'domain'] : ['title', 'url'];
  const some = `select id from ${table} where workspace_id = $1 and id <> '${COMPANY}' order by id`;
  if (each.kind === 'index') await indexWords(pool);
  if (each.kind === 'create') await insert(workspaceId, resource, inputs(resource, each.count, each.words));
  if (each.kind === 'create earlier')
    await insert(
      workspaceId,
      resource,
      inputs(resource, each.count, each.words, `2020-01-0${(each.day % 9) + 1}T00:00:00Z`),
    );
  if (each.kind === 'change')
    await pool.query(
      `update ${table} set ${title} = $3, ${url} = ${url} || 'x' where workspace_id = $1 and id = (${some} offset $2 % 50 limit 1)`,
      [workspaceId, each.at, each.word],
    );
  if (each.kind !== 'delete' && each.kind !== 'create again') return;
  const { rows: deleted } = await pool.query<{ id: string; createdAt: string }>(
    `delete from ${table} where workspace_id = $1 and id in (${some} offset $2 % 50 limit $3)
     returning id, ${EXACT_TIME} as "createdAt"`,
    [workspaceId, each.at, each.count],
  );
  if (each.kind === 'delete') return;
  const again = inputs(resource, deleted.length, each.words).map((input, i) => ({ ...input, ...deleted[i] }));
  await insert(workspaceId, resource, again);
}

async function expectSameResults(
  workspaceId: string,
  { list }: Resource,
  searches: readonly string[] = SEARCHES,
): Promise<void> {
  if (list.searched === undefined) throw new Error('it has no texts');
  for (const q of searches) {
    const { rows } = await pool.query<{ found: string[]; expected: string[] }>(
      `select array(select id from search_records(null::${list.relation}, $1, $2, ${SEARCHED_ROWS_MAX}) order by id) as found,
        array(select id from ${list.relation} where workspace_id = $1 and ${searchCondition(list.searched, '$2::text')} order by id)
          as expected`,
      [workspaceId, q],
    );
    expect({ q, found: rows[0]?.found }).toEqual({ q, found: rows[0]?.expected });
  }
}
