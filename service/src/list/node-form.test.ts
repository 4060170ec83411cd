import { DIRECTIONS } from '@svc/sdk/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/harness/database.ts';
import { workspaceWith } from '../../test/harness/import.ts';
import { seedRecords } from '../../test/harness/records.ts';
import type { NodeForm } from '../database/statement.ts';
import { audits, content, mentions } from '../resources/index.ts';
import { type KeysetRead, type KeysetRow, sortsOf } from './definition.ts';
import { keysetStatement, readKeyset } from './keyset.ts';

const { pool } = await createTestDatabase();
let workspaceId: string;

beforeAll(async () => {
  workspaceId = await workspaceWith(pool, 'c1', 'c2', 'c3');
  for (const resource of [audits, content, mentions])
    await seedRecords(
      pool,
      workspaceId,
      resource,
      Array.from({ length: 7 }, (_, n) => ({
        id: `r${(n * 5) % 7}`,
        companyId: n % 3 === 0 ? 'c1' : 'c2',
        // With, and without, a part of a second.
        createdAt: `2026-03-01T09:30:0${n % 3}${n % 2 === 0 ? '.123450' : ''}Z`,
      })),
    );
});

interface NodeQuery {
  readonly values: readonly (string | number)[];
  readonly onNode?: NodeForm;
}

/** Runs a page in its form for a node, as database/pipelined/reads.ts does. */
const onNode = {
  query: async ({ values, onNode: form }: NodeQuery) => {
    if (form === undefined) throw new Error('the page has no form for a node');
    const { rows } = await pool.query(form.text, [...values]);
    return { rows: [form.gather(rows, values)] };
  },
} as unknown as typeof pool;

test.each(sortsOf(audits.list))(
  'a page after a position has a form for a node, also if a page of a range came first: %o',
  (sort) => {
    const read = {
      list: audits.list,
      workspaceId,
      equal: {},
      sort,
      direction: 'before',
      limit: 3,
    } as const;
    const position = {
      side: 'before',
      key: sort.column.type === 'smallint' ? '5' : '2026-03-01T09:30:00Z',
      id: 'r1',
    } as const;
    for (const operator of ['>=', '<', '>', '<='] as const) {
      const value = sort.column.type === 'smallint' ? '1' : '2020-01-01T00:00:00Z';
      const range = { column: sort.column.column, operator, type: sort.column.type, value } as const;
      keysetStatement({ ...read, position, compared: [range] } as unknown as KeysetRead);
    }
    expect(keysetStatement({ ...read, position } as KeysetRead).onNode).toBeDefined();
  },
);

describe.each([audits, content, mentions])('pages of $name', ({ list }) => {
  const sorts = sortsOf(list);
  const companyIds = list.companyColumn === null ? [undefined] : [undefined, 'c1', 'none'];

  test.each(sorts)('in the order $name are the same in the form for a node', async (sort) => {
    let pages = 0;
    for (const direction of DIRECTIONS)
      for (const companyId of companyIds) {
        const equal = companyId === undefined ? {} : { [list.companyColumn ?? '']: companyId };
        let position: KeysetRead['position'];
        for (let limit = 1; limit < 5; limit++) {
          const read = { list, workspaceId, equal, sort, direction, position, limit };
          const page = await readKeyset(pool, read);
          expect(await readKeyset(onNode, read)).toEqual(page);
          pages += 1;
          position = positionAfter(page, direction === 'forward' ? 'after' : 'before') ?? position;
        }
      }
    expect(pages).toBe(DIRECTIONS.length * companyIds.length * 4);
  });
});

function positionAfter(page: KeysetRow, side: 'after' | 'before'): KeysetRead['position'] {
  const { last_key: key, last_id: id, last_order: order } = page;
  if (key === null || id === null) return undefined;
  return { side, key, id, ...(order === undefined || order === null ? {} : { order }) };
}

test('a page that reads more than the rows of one table has no form for a node', () => {
  const [sort] = sortsOf(audits.list);
  if (sort === undefined) throw new Error('audits have no order');
  const read: KeysetRead = {
    ...{ list: audits.list, workspaceId, equal: {}, sort, position: undefined, limit: 10 },
    direction: 'forward',
  };
  expect(keysetStatement(read).onNode?.text).not.toContain('(select');
  const filtered = { column: 'headline_score', operator: '>=', type: 'smallint', value: '5' } as const;
  expect(keysetStatement({ ...read, compared: [filtered] }).onNode).toBeUndefined();
  expect(keysetStatement({ ...read, list: { ...audits.list, total: true } }).onNode).toBeUndefined();
});
