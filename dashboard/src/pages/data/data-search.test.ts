import { CONTRACT } from '@svc/sdk/contract';
import { expect, test } from 'vitest';
import { dataSearch, isNewestFirst, listParams, noFilters } from './data-search.ts';

test('filters and sort are read from the URL, and anything else is dropped', () => {
  expect(dataSearch({ sort: 'score-ascending', status: 'draft', companyId: '', page: '2' })).toEqual({
    sort: 'score-ascending',
    status: 'draft',
    companyId: undefined,
  });
  expect(dataSearch({ status: 7, companyId: ['com_a'] })).toEqual({});
});

test('a list gets only the parameters that it has', () => {
  const search = dataSearch({ sort: 'score-ascending', status: 'draft', companyId: 'com_a' });
  expect(listParams(CONTRACT.audits, search)).toEqual({ sort: 'score-ascending', companyId: 'com_a' });
  expect(listParams(CONTRACT.content, search)).toEqual({ status: 'draft', companyId: 'com_a' });
  expect(listParams(CONTRACT.companies, search)).toEqual({});
  expect(listParams(CONTRACT.audits, { sort: 'size-ascending' })).toEqual({});
});

test('clearing removes the filters of the list and keeps the sort', () => {
  expect(noFilters(CONTRACT.content)).toEqual({ companyId: undefined, status: undefined });
});

test('new records are at the top of the default order, and of a list with one order', () => {
  expect(isNewestFirst(CONTRACT.audits, {})).toBe(true);
  expect(isNewestFirst(CONTRACT.audits, { sort: 'created-descending' })).toBe(true);
  expect(isNewestFirst(CONTRACT.audits, { sort: 'created-ascending' })).toBe(false);
  expect(isNewestFirst(CONTRACT.audits, { sort: 'score-descending' })).toBe(false);
  expect(isNewestFirst(CONTRACT.companies, { sort: 'score-descending' })).toBe(true);
});
