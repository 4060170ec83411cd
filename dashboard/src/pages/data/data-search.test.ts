import { CONTRACT } from '@svc/sdk/contract';
import { describe, expect, test } from 'vitest';
import {
  dataSearch,
  isFiltered,
  isNewestFirst,
  listParams,
  noFilters,
  sortOf,
  withRange,
  withSort,
} from './data-search.ts';

test('filters, sort and columns are read from the URL, and anything else is dropped', () => {
  expect(dataSearch({ sort: 'score-ascending', status: 'draft', companyId: '', page: '2' })).toEqual({
    sort: 'score-ascending',
    status: 'draft',
    companyId: undefined,
  });
  expect(dataSearch({ status: {}, companyId: ['com_a'], q: true })).toEqual({});
  expect(dataSearch({ dialog: 'import' })).toEqual({ dialog: 'import' });
  expect(dataSearch({ dialog: 'delete' })).toEqual({});
  expect(dataSearch({ headlineScoreMin: 40, q: 2026 })).toEqual({ headlineScoreMin: '40', q: '2026' });
  expect(dataSearch({ columns: 'title,url' })).toEqual({ columns: 'title,url' });
});

test('a list gets only the parameters that it has', () => {
  const search = dataSearch({ sort: 'score-ascending', status: 'draft', companyId: 'com_a', q: 'acme' });
  expect(listParams(CONTRACT.audits, search)).toEqual({ sort: 'score-ascending', companyId: 'com_a' });
  expect(listParams(CONTRACT.content, search)).toEqual({ status: 'draft', companyId: 'com_a', q: 'acme' });
  expect(listParams(CONTRACT.companies, search)).toEqual({ q: 'acme' });
});

test('a list without a sort is sorted by the first field that its records have', () => {
  expect(listParams(CONTRACT.audits, {})).toEqual({ sort: 'completed-descending' });
  expect(listParams(CONTRACT.audits, { sort: 'size-ascending' })).toEqual({ sort: 'completed-descending' });
  expect(listParams(CONTRACT.mentions, {})).toEqual({ sort: 'created-descending' });
  expect(sortOf(CONTRACT.content, { sort: 'score-ascending' })).toMatchObject({
    fieldName: 'createdAt',
    order: 'descending',
  });
});

describe('a range', () => {
  test('is a parameter only with the sort of its field, and only if it is valid', () => {
    const range = { headlineScoreMin: '40', completedAfter: '2026-03-01T09:30Z' };
    expect(listParams(CONTRACT.audits, { ...range, sort: 'score-ascending' })).toEqual({
      sort: 'score-ascending',
      headlineScoreMin: '40',
    });
    expect(listParams(CONTRACT.audits, range)).toEqual({
      sort: 'completed-descending',
      completedAfter: '2026-03-01T09:30:00.000Z',
    });
    for (const headlineScoreMin of ['101', '-1', '4.5', 'many']) {
      const search = { sort: 'score-ascending', headlineScoreMin };
      expect(listParams(CONTRACT.audits, search)).toEqual({ sort: 'score-ascending' });
    }
    expect(listParams(CONTRACT.audits, { completedAfter: 'yesterday' })).toEqual({
      sort: 'completed-descending',
    });
  });

  test('sorts the list by its field, and drops the ranges of other fields', () => {
    const search = { completedAfter: '2026-03-01T09:30Z', companyId: 'com_a' };
    const changed = { ...search, ...withRange(CONTRACT.audits, search, 'headlineScoreMax', '40') };
    expect(changed).toMatchObject({ sort: 'score-descending', headlineScoreMax: '40', companyId: 'com_a' });
    expect(changed.completedAfter).toBeUndefined();
    const other = withRange(CONTRACT.audits, { sort: 'score-ascending' }, 'headlineScoreMax', '40');
    expect(other, 'the order stays').toEqual({ headlineScoreMax: '40' });
    expect(withRange(CONTRACT.audits, search, 'headlineScoreMax', undefined)).toEqual({
      headlineScoreMax: undefined,
    });
  });

  test('is kept when the order of its sort changes', () => {
    const search = { headlineScoreMin: '40', sort: 'score-descending' };
    const ascending = { ...search, ...withSort(CONTRACT.audits, 'score-ascending') };
    expect(ascending.headlineScoreMin).toBe('40');
    const created = { ...search, ...withSort(CONTRACT.audits, 'created-ascending') };
    expect(created.headlineScoreMin).toBeUndefined();
  });
});

test('columns do not filter the list', () => {
  expect(listParams(CONTRACT.content, { columns: 'title,url' })).toEqual({});
});

test('clearing removes the filters of the list and keeps the sort and the columns', () => {
  const search = { companyId: 'com_a', status: 'draft', q: 'acme', createdAfter: '2026-03-01T09:30Z' };
  expect(isFiltered(listParams(CONTRACT.content, search))).toBe(true);
  expect(isFiltered(listParams(CONTRACT.content, { ...search, ...noFilters(CONTRACT.content) }))).toBe(false);
  expect(noFilters(CONTRACT.audits)).not.toHaveProperty('sort');
  expect(noFilters(CONTRACT.audits)).not.toHaveProperty('columns');
});

test('newer records are at the top of a list whose newest time is first', () => {
  expect(isNewestFirst(CONTRACT.audits, {})).toBe(true);
  expect(isNewestFirst(CONTRACT.audits, { sort: 'created-descending' })).toBe(true);
  expect(isNewestFirst(CONTRACT.audits, { sort: 'created-ascending' })).toBe(false);
  expect(isNewestFirst(CONTRACT.audits, { sort: 'score-descending' })).toBe(false);
  expect(isNewestFirst(CONTRACT.companies, { sort: 'score-descending' })).toBe(true);
});
