import type { Order } from '@svc/sdk/contract';
import { describe, expect, test } from 'vitest';
import type { KeysetRead, ListDefinition } from './definition.ts';
import { keysetStatement } from './keyset.ts';

const LIST: ListDefinition = {
  name: 'things',
  relation: 'things',
  companyColumn: 'company_id',
  indexed: ['company_id', 'status'],
  sorts: { created: { column: 'created_at', type: 'timestamptz' } },
  sortable: false,
  filters: {},
  total: false,
  shortKeys: false,
};

function read(
  order: Order,
  direction: KeysetRead['direction'],
  side?: 'before' | 'after',
  more: Partial<KeysetRead> = {},
): KeysetRead {
  return {
    list: LIST,
    workspaceId: 'wks_1',
    equal: {},
    sort: { name: `created-${order}`, column: { column: 'created_at', type: 'timestamptz' }, order },
    direction,
    position: side === undefined ? undefined : { side, key: 'K', id: 'I' },
    limit: 10,
    ...more,
  };
}

describe('keysetStatement', () => {
  test.each([
    ['descending', 'forward', undefined, 'order by created_at desc, id desc', undefined],
    ['ascending', 'forward', undefined, 'order by created_at asc, id asc', undefined],
    ['descending', 'before', undefined, 'order by created_at asc, id asc', undefined],
    ['ascending', 'before', undefined, 'order by created_at desc, id desc', undefined],
    ['descending', 'forward', 'after', 'order by created_at desc, id desc', '<'],
    ['descending', 'forward', 'before', 'order by created_at desc, id desc', '<='],
    ['descending', 'before', 'before', 'order by created_at asc, id asc', '>'],
    ['descending', 'before', 'after', 'order by created_at asc, id asc', '>='],
    ['ascending', 'forward', 'after', 'order by created_at asc, id asc', '>'],
    ['ascending', 'before', 'after', 'order by created_at desc, id desc', '<='],
  ] as const)('%s %s from %s', (order, direction, side, orderBy, comparison) => {
    const { text } = keysetStatement(read(order, direction, side));
    expect(text).toContain(orderBy);
    if (comparison === undefined) expect(text).not.toContain('(created_at, id)');
    else expect(text).toContain(`(created_at, id) ${comparison} ($3::timestamptz, $4)`);
  });

  test('every value is a parameter', () => {
    const { text, values } = keysetStatement(
      read('descending', 'forward', 'after', {
        equal: { company_id: 'C', status: 'S' },
        compared: [{ column: 'mode', operator: '=', type: 'text', value: 'M' }],
      }),
    );
    expect(values).toEqual(['wks_1', 10, 'C', 'S', 'M', 'K', 'I']);
    expect(text).toContain('limit $2 + 1');
    for (const value of values) expect(text).not.toContain(`'${value}'`);
  });

  test.each([
    [
      'descending',
      undefined,
      '(company_id, status) <= ($3, $4) and company_id >= $3',
      'order by company_id desc, status desc, created_at desc, id desc',
      '(company_id, status) >= ($3, $4)',
    ],
    [
      'descending',
      'after',
      '(company_id, status, created_at, id) < ($3, $4, $5::timestamptz, $6) and company_id >= $3',
      'order by company_id desc, status desc, created_at desc, id desc',
      '(company_id, status) >= ($3, $4)',
    ],
    [
      'ascending',
      'before',
      '(company_id, status, created_at, id) >= ($3, $4, $5::timestamptz, $6) and company_id <= $3',
      'order by company_id asc, status asc, created_at asc, id asc',
      '(company_id, status) <= ($3, $4)',
    ],
  ] as const)(
    'indexed columns are a range in the order of their index: %s, %s',
    (order, side, where, orderBy, until) => {
      const equal = { company_id: 'C', status: 'S' };
      const { text } = keysetStatement(read(order, 'forward', side, { equal }));
      expect(text).toContain(`where workspace_id = $1 and ${where}\n  ${orderBy}`);
      expect(text).toContain(`limit $2 + 1) ranged where ${until}\n`);
    },
  );

  test('a filter of the sort column is an end of the range, unless a cursor is', () => {
    const ofTime = { column: 'created_at', type: 'timestamptz' } as const;
    const more: Partial<KeysetRead> = {
      equal: { kind: 'A' },
      compared: [
        { ...ofTime, operator: '>=', value: 'F' },
        { ...ofTime, operator: '<', value: 'T' },
        { column: 'path', operator: '^@', type: 'text', value: 'P' },
      ],
    };
    const first = keysetStatement(read('descending', 'forward', undefined, more));
    expect(first.values).toEqual(['wks_1', 10, 'A', 'P', 'T', 'F']);
    expect(first.text).toContain(
      'where workspace_id = $1 and (kind, created_at) < ($3, $5::timestamptz) and kind >= $3\n',
    );
    expect(first.text).toContain('ranged where (kind, created_at) >= ($3, $6::timestamptz)');
    expect(first.text).toContain('case when path ^@ $4::text then doc end');
    const next = keysetStatement(read('descending', 'forward', 'after', more));
    expect(next.values).toEqual(['wks_1', 10, 'A', 'P', 'K', 'I', 'F']);
    expect(next.text).toContain('and (kind, created_at, id) < ($3, $5::timestamptz, $6) and kind >= $3\n');
  });

  test('a shape has one name for all values, and each shape has another name', () => {
    const one = keysetStatement(read('descending', 'forward', 'after'));
    const same = keysetStatement(read('descending', 'forward', 'after', { workspaceId: 'wks_2', limit: 99 }));
    expect({ name: same.name, text: same.text }).toEqual({ name: one.name, text: one.text });
    const shapes = [
      read('descending', 'forward'),
      read('descending', 'forward', 'after'),
      read('descending', 'forward', 'before'),
      read('descending', 'before', 'after'),
      read('descending', 'forward', 'after', { equal: { status: 'S' } }),
      read('descending', 'forward', 'after', { list: { ...LIST, total: true } }),
      read('descending', 'forward', 'after', { list: { ...LIST, relation: 'others' } }),
    ].map(keysetStatement);
    expect(new Set(shapes.map(({ name }) => name)).size).toBe(shapes.length);
    // PostgreSQL cuts a longer name, so two names could become the same.
    for (const { name = '' } of shapes) expect(name.length).toBeLessThan(64);
  });

  test('a statement with many conditions, or with other operators, is not prepared: there are too many of these', () => {
    const nameOf = (more: Partial<KeysetRead>) =>
      keysetStatement(read('descending', 'forward', 'after', more)).name;
    expect(nameOf({ equal: { status: 'S', kind: 'K' } })).toBeDefined();
    expect(nameOf({ equal: { status: 'S', kind: 'K', path: 'P' } })).toBeUndefined();
    const equals = { column: 'mode', operator: '=', type: 'text', value: 'M' } as const;
    expect(nameOf({ equal: { status: 'S' }, compared: [equals] })).toBeDefined();
    expect(nameOf({ equal: { status: 'S', kind: 'K' }, compared: [equals] })).toBeUndefined();
    expect(
      nameOf({ compared: [{ column: 'status', operator: '>=', type: 'smallint', value: '400' }] }),
    ).toBeUndefined();
  });
});
