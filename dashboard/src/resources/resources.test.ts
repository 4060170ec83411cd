import { CONTRACT, type ResourceContract } from '@svc/sdk/contract';
import { describe, expect, test } from 'vitest';
import {
  COMPANY_RESOURCES,
  columnsOf,
  companyOf,
  DATA_RESOURCES,
  findResource,
  isCompanies,
  isEditable,
  titleOf,
} from './resources.ts';

const names = (resources: readonly ResourceContract[]): readonly string[] =>
  resources.map(({ name }) => name);

test('the resources that can be written have data pages', () => {
  expect(names(DATA_RESOURCES)).toEqual(['audits', 'mentions', 'content', 'companies']);
  expect(names(COMPANY_RESOURCES)).toEqual(['audits', 'mentions', 'content']);
  expect(findResource('content')).toBe(CONTRACT.content);
  expect(findResource('api-keys')).toBeUndefined();
  expect(findResource('constructor')).toBeUndefined();
});

test('a resource with only `create` cannot be edited', () => {
  expect(names(DATA_RESOURCES.filter(isEditable))).toEqual(['mentions', 'content', 'companies']);
  expect(names(DATA_RESOURCES.filter(isCompanies))).toEqual(['companies']);
});

describe('the columns of a list', () => {
  test.each<[ResourceContract, readonly string[]]>([
    [CONTRACT.audits, ['id', 'companyId', 'headlineScore', 'completedAt']],
    [CONTRACT.mentions, ['title', 'companyId', 'source', 'sentiment', 'publishedAt']],
    [CONTRACT.content, ['title', 'companyId', 'status', 'updatedAt', 'publishedAt']],
    [CONTRACT.companies, ['name', 'domain', 'createdAt']],
  ])('are the fields that fit into a table: $name', (resource, columns) => {
    expect(columnsOf(resource)).toEqual(columns);
  });

  test('include the field that the list is sorted by', () => {
    expect(columnsOf(CONTRACT.mentions, 'createdAt')).toEqual([
      'title',
      'companyId',
      'source',
      'sentiment',
      'publishedAt',
      'createdAt',
    ]);
    expect(columnsOf(CONTRACT.content, 'updatedAt')).toEqual(columnsOf(CONTRACT.content));
  });
});

test('a record is shown by its title, its name or its id', () => {
  expect(titleOf(CONTRACT.content, { id: 'con_a', title: 'Words' })).toBe('Words');
  expect(titleOf(CONTRACT.companies, { id: 'com_a', name: 'Acme' })).toBe('Acme');
  expect(titleOf(CONTRACT.audits, { id: 'aud_a', headlineScore: 7 })).toBe('aud_a');
});

test('a record belongs to its company, and a company to itself', () => {
  expect(companyOf(CONTRACT.audits, { id: 'aud_a', companyId: 'com_a' })).toBe('com_a');
  expect(companyOf(CONTRACT.companies, { id: 'com_a' })).toBe('com_a');
  expect(companyOf(CONTRACT.apiKeys, { id: 'key_a', companyId: null })).toBeNull();
});
