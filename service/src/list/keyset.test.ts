import type { Order } from '@svc/sdk/contract';
import { describe, expect, test } from 'vitest';
import type { ListDefinition } from './definition.ts';
import { type KeysetRead, keysetStatement } from './keyset.ts';

const LIST: ListDefinition = {
  name: 'things',
  relation: 'things',
  companyColumn: 'company_id',
  sorts: { created: { column: 'created_at', type: 'timestamptz' } },
  sortable: false,
  filters: {},
  total: false,
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

  test('every value is a parameter, in the order of the text', () => {
    const { text, values } = keysetStatement(
      read('descending', 'forward', 'after', { equal: { company_id: 'C', status: 'S' } }),
    );
    expect(values).toEqual(['wks_1', 10, 'C', 'S', 'K', 'I']);
    expect(text).toContain('workspace_id = $1 and company_id = $3 and status = $4');
    expect(text).toContain('($5::timestamptz, $6)');
    expect(text).toContain('limit $2 + 1');
    for (const value of ["'wks_1'", "'C'", "'S'", "'K'", "'I'"]) expect(text).not.toContain(value);
  });

  test('a comparison is a condition with a typed parameter, after the equality conditions', () => {
    const { text, values } = keysetStatement(
      read('descending', 'forward', 'after', {
        equal: { kind: 'A' },
        compared: [
          { column: 'created_at', operator: '>=', type: 'timestamptz', value: 'T' },
          { column: 'path', operator: '^@', type: 'text', value: 'P' },
        ],
      }),
    );
    expect(values).toEqual(['wks_1', 10, 'A', 'T', 'P', 'K', 'I']);
    expect(text).toContain('kind = $3 and created_at >= $4::timestamptz and path ^@ $5::text');
    expect(text).toContain('($6::timestamptz, $7)');
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

  test('a statement with many conditions, or with comparisons, is not prepared: there are too many of these', () => {
    const nameOf = (more: Partial<KeysetRead>) =>
      keysetStatement(read('descending', 'forward', 'after', more)).name;
    expect(nameOf({ equal: { status: 'S', kind: 'K' } })).toBeDefined();
    expect(nameOf({ equal: { status: 'S', kind: 'K', path: 'P' } })).toBeUndefined();
    expect(
      nameOf({ compared: [{ column: 'status', operator: '>=', type: 'smallint', value: '400' }] }),
    ).toBeUndefined();
  });
});
