import { createCursorCodec } from '@svc/deployment-secrets/cursors';
import { DIRECTIONS, type Direction } from '@svc/sdk/contract';
import { beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/harness/database.ts';
import { auditOf, importText, ndjson, workspaceWith } from '../../test/harness/import.ts';
import { seedRecords } from '../../test/harness/records.ts';
import { sharesOf } from '../../test/plans/buffers.ts';
import { audits } from '../resources/index.ts';
import { type Sort, sortsOf } from './definition.ts';
import { type ListReader, readList } from './read.ts';

const { pool } = await createTestDatabase();
const codec = createCursorCodec(['a secret of 32 characters or more']);
const reader: ListReader = { reads: { of: () => pool }, cursors: codec, clock: Date.now };
/** Issues cursors as version 0.1.0 does. */
const earlier: ListReader = {
  ...reader,
  cursors: {
    ...codec,
    encode: ({ side, key, id }, ...others) => codec.encode({ side, key, id }, ...others),
  },
};

const COMPANIES = ['c1', 'c2', 'c3'] as const;
const EMPTY = 'c4';
let workspaceId: string;

beforeAll(async () => {
  // Every company has the same key, which nobody can bring about with ids.
  await pool.query(`create or replace function company_key(workspace_id text, company_id text) returns bigint
    language sql immutable parallel safe return 7::bigint`);
  workspaceId = await workspaceWith(pool, ...COMPANIES, EMPTY);
  // Few values, so that most rows have the sort value of others. The ids are not in the order of the inserts.
  const rows = Array.from({ length: 30 }, (_, n) => ({
    id: `a${String((n * 7) % 30).padStart(2, '0')}`,
    companyId: COMPANIES[n % 3],
    headlineScore: n % 2,
    createdAt: `2026-03-01T09:30:0${n % 4}.000000Z`,
    completedAt: `2026-02-01T09:30:0${n % 5}Z`,
  }));
  await seedRecords(pool, workspaceId, audits, rows);
});

interface Envelope {
  readonly data: readonly { readonly id: string }[];
  readonly pagination: { readonly nextCursor: string | null; readonly endCursor: string | null };
}

/** The pages of a list, with three items each, joined in the order of the list. */
async function walk(read: ListReader, sort: Sort, direction: Direction, companyId: string | null) {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: 3, direction, sort, filters: {}, cursor };
    const answer = await readList(read, audits.list, query, { workspaceId, companyId });
    if (typeof answer === 'string') throw new Error(answer);
    const { data, pagination } = JSON.parse(answer.body()) as Envelope;
    const page = data.map(({ id }) => id);
    if (direction === 'forward') ids.push(...page);
    else ids.unshift(...page);
    cursor = pagination.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return ids;
}

async function expectedIds({ column: { column }, order }: Sort, companyId: string | null) {
  const by = order === 'ascending' ? 'asc' : 'desc';
  const { rows } = await pool.query<{ id: string }>(
    `select id from audits where workspace_id = $1 and ($2::text is null or company_id = $2)
     order by ${column} ${by}, id ${by}`,
    [workspaceId, companyId],
  );
  return rows.map(({ id }) => id);
}

const CASES = sortsOf(audits.list).flatMap((sort) =>
  DIRECTIONS.flatMap((direction) =>
    [null, 'c1'].map((companyId) => ({ sort, name: sort.name, direction, companyId })),
  ),
);

test.each(CASES)(
  'a list continues from cursors of version 0.1.0, and companies with the same key are separate: $name $direction $companyId',
  async ({ sort, direction, companyId }) => {
    const expected = await expectedIds(sort, companyId);
    expect(expected).toHaveLength(companyId === null ? 30 : 10);
    expect(await walk(earlier, sort, direction, companyId)).toEqual(expected);
    expect(await walk(reader, sort, direction, companyId)).toEqual(expected);
  },
);

test('a cursor of version 0.1.0 continues after an audit that was deleted', async () => {
  const [sort] = sortsOf(audits.list);
  if (sort === undefined) throw new Error('audits have no sort');
  const before = await expectedIds(sort, null);
  const query = { limit: 3, direction: 'forward', sort, filters: {}, cursor: undefined } as const;
  const scope = { workspaceId, companyId: null };
  const first = await readList(earlier, audits.list, query, scope);
  if (typeof first === 'string') throw new Error(first);
  const { pagination } = JSON.parse(first.body()) as Envelope;
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('delete from audits where workspace_id = $1 and id = $2', [workspaceId, before[2]]);
    const inside: ListReader = { ...earlier, reads: sharesOf(client) };
    const cursor = pagination.nextCursor ?? '';
    const second = await readList(inside, audits.list, { ...query, cursor }, scope);
    if (typeof second === 'string') throw new Error(second);
    const { data } = JSON.parse(second.body()) as Envelope;
    expect(data.map(({ id }) => id)).toEqual(before.slice(3, 6));
  } finally {
    await client.query('rollback');
    client.release();
  }
});

test('a walk whose cursor is at a newest audit that was deleted continues with later ones of the same sort value', async () => {
  const own = await workspaceWith(pool, 'c1');
  // Imported, because an import accepts the same createdAt twice.
  const add = (...ids: readonly string[]) =>
    importText(
      pool,
      own,
      'audits',
      ndjson(ids.map((id) => auditOf(id, { createdAt: '2026-03-01T09:30:00.000Z' }))),
    );
  const sort = sortsOf(audits.list).find(({ name }) => name === 'created-ascending');
  if (sort === undefined) throw new Error('audits have no ascending order');
  const page = async (cursor?: string): Promise<Envelope> => {
    const query = { limit: 10, direction: 'forward', sort, filters: {}, cursor } as const;
    const answer = await readList(reader, audits.list, query, { workspaceId: own, companyId: null });
    if (typeof answer === 'string') throw new Error(answer);
    return JSON.parse(answer.body());
  };
  await add('a1', 'a2');
  const { endCursor } = (await page()).pagination;
  await pool.query(`delete from audits where workspace_id = $1 and id = 'a2'`, [own]);
  await add('a3', 'a4');
  expect((await page(endCursor ?? '')).data.map(({ id }) => id)).toEqual(['a3', 'a4']);
});

test('a company whose key other companies with audits have can be deleted, one with audits cannot', async () => {
  const remove = (id: string) =>
    pool.query('delete from companies where workspace_id = $1 and id = $2', [workspaceId, id]);
  await expect(remove('c1')).rejects.toThrow('the company c1 still has audits');
  expect((await remove(EMPTY)).rowCount).toBe(1);
});

test('the pages join whatever the bytea_output of the session is', async () => {
  const client = await pool.connect();
  try {
    await client.query('set bytea_output = escape');
    for (const sort of sortsOf(audits.list))
      expect(await walk({ ...reader, reads: sharesOf(client) }, sort, 'forward', null)).toEqual(
        await expectedIds(sort, null),
      );
  } finally {
    client.release(true);
  }
});
