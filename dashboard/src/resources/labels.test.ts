import { CONTRACT, sortsOf } from '@svc/sdk/contract';
import { expect, test } from 'vitest';
import { fieldLabel, nounOf, sortLabel, toneOf, valueLabel } from './labels.ts';
import { DATA_RESOURCES } from './resources.ts';

test.each([
  ['id', 'ID'],
  ['url', 'URL'],
  ['headlineScore', 'Headline score'],
  ['companyId', 'Company'],
  ['publishedAt', 'Published'],
  ['source', 'Source'],
])('the field %s is labelled "%s"', (name, label) => {
  expect(fieldLabel(name)).toBe(label);
});

test('a value is labelled without underscores', () => {
  expect(['in_review', 'positive'].map(valueLabel)).toEqual(['In review', 'Positive']);
});

test('every sort of every list has its own label', () => {
  const labels = DATA_RESOURCES.map((resource) => sortsOf(resource).map((sort) => sortLabel(sort, resource)));
  expect(labels.every((list) => new Set(list).size === list.length)).toBe(true);
  expect(sortsOf(CONTRACT.audits).map((sort) => sortLabel(sort, CONTRACT.audits))).toEqual([
    'Created, newest first',
    'Created, oldest first',
    'Completed, newest first',
    'Completed, oldest first',
    'Score, highest first',
    'Score, lowest first',
  ]);
});

test('a resource has a singular and a plural', () => {
  expect(nounOf(CONTRACT.content)).toEqual(['content item', 'content items']);
  expect(nounOf(CONTRACT.companies)).toEqual(['company', 'companies']);
});

test('only values that people rate as good or bad have a colour', () => {
  expect(['positive', 'negative', 'in_review', 'draft', 'unknown'].map(toneOf)).toEqual([
    'good',
    'bad',
    'warn',
    'neutral',
    'neutral',
  ]);
});
