import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ListDefinition, parametersOf, sortsOf, textThat } from './definition.ts';
import { findInvalidParameter, isQueryFailure, parseListQuery } from './query.ts';

const LIST: ListDefinition = {
  name: 'things',
  relation: 'things',
  companyColumn: null,
  sorts: {
    created: { column: 'created_at', type: 'timestamptz' },
    size: { column: 'size', type: 'smallint' },
  },
  sortable: true,
  filters: {
    colour: {
      column: 'colour',
      parse: textThat((text) => ['red', 'blue'].includes(text)),
      allowed: 'one of red, blue',
    },
  },
  total: false,
  shortKeys: false,
  indexed: [],
};
const PLAIN: ListDefinition = { ...LIST, sortable: false, filters: {} };

const messageOf = (raw: Readonly<Record<string, unknown>>, list = LIST): string => {
  const result = parseListQuery(list, raw);
  if (!isQueryFailure(result)) throw new Error('the query was accepted');
  return `${result.parameter}: ${result.message}`;
};

describe('sortsOf', () => {
  test('returns both orders of each field, the default first', () => {
    expect(sortsOf(LIST).map(({ name }) => name)).toEqual([
      'created-descending',
      'created-ascending',
      'size-descending',
      'size-ascending',
    ]);
  });
});

describe('parametersOf', () => {
  test('includes sort only if the list accepts it', () => {
    expect(parametersOf(LIST)).toEqual(['cursor', 'limit', 'direction', 'sort', 'colour']);
    expect(parametersOf(PLAIN)).toEqual(['cursor', 'limit', 'direction']);
  });
});

describe('parseListQuery', () => {
  test('adds the defaults of missing parameters', () => {
    expect(parseListQuery(LIST, {})).toEqual({
      limit: 50,
      direction: 'forward',
      sort: { name: 'created-descending', column: LIST.sorts['created'], order: 'descending' },
      filters: {},
      cursor: undefined,
    });
  });

  test('returns the given values', () => {
    const raw = { limit: '7', direction: 'before', sort: 'size-ascending', colour: 'red', cursor: 'abc' };
    expect(parseListQuery(LIST, raw)).toEqual({
      limit: 7,
      direction: 'before',
      sort: { name: 'size-ascending', column: LIST.sorts['size'], order: 'ascending' },
      filters: { colour: 'red' },
      cursor: 'abc',
    });
  });

  test('accepts exactly the integers from 1 to 100 as a limit', () => {
    for (let limit = -2; limit <= 102; limit++) {
      expect(isQueryFailure(parseListQuery(LIST, { limit: String(limit) }))).toBe(limit < 1 || limit > 100);
    }
    fc.assert(
      fc.property(fc.string(), (limit) => {
        const accepted = !isQueryFailure(parseListQuery(LIST, { limit }));
        expect(accepted).toBe(/^([1-9]\d?|100)$/.test(limit));
      }),
    );
  });

  test('names the invalid parameter and what is allowed', () => {
    expect(messageOf({ limit: '101' })).toBe('limit: "limit" must be an integer from 1 to 100.');
    expect(messageOf({ direction: 'up' })).toBe('direction: "direction" must be forward or before.');
    expect(messageOf({ sort: 'size' })).toContain('size-descending, size-ascending');
    expect(messageOf({ colour: 'green' })).toBe('colour: "colour" must be one of red, blue.');
    expect(messageOf({ colour: ['red', 'red'] })).toBe(
      'colour: The query parameter "colour" must be given once.',
    );
    expect(messageOf({ color: 'red' })).toContain(
      '"color". Allowed: cursor, limit, direction, sort, colour.',
    );
    expect(messageOf({ sort: 'created-descending' }, PLAIN)).toContain('Unknown query parameter "sort"');
  });

  test('refuses any unknown parameter and names it', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        fc.pre(!parametersOf(LIST).includes(name));
        expect(messageOf(Object.fromEntries([[name, '1']]))).toContain(JSON.stringify(name.slice(0, 64)));
      }),
    );
  });
});

describe('findInvalidParameter', () => {
  test('says that a path has no parameters', () => {
    expect(findInvalidParameter({ x: '1' }, [])?.message).toBe(
      'Unknown query parameter "x". This path has none.',
    );
    expect(findInvalidParameter({}, [])).toBeUndefined();
  });

  test('cuts a long name in the message', () => {
    expect(findInvalidParameter({ ['x'.repeat(5000)]: '1' }, [])?.message.length).toBeLessThan(150);
  });
});
