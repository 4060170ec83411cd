import { CONTRACT, type ResourceContract } from '@svc/sdk/contract';
import { describe, expect, test } from 'vitest';
import { formFields, formValues, patchOf } from './record-form.ts';

const CONTENT = {
  id: 'con_a',
  companyId: 'com_a',
  title: 'Words',
  url: null,
  status: 'draft',
  createdAt: '2026-03-01T09:30:00Z',
  updatedAt: '2026-03-01T09:30:00Z',
  publishedAt: null,
};
const fields = formFields(CONTRACT.content);
const values = formValues(fields, CONTENT);

/** A resource with an integer that can be null and one that cannot. */
const REVIEWS: ResourceContract = {
  ...CONTRACT.companies,
  name: 'reviews',
  fields: {
    id: CONTRACT.companies.fields.id,
    rating: { kind: 'integer', min: 1, max: 5, description: 'Stars.', example: 4 },
    votes: { kind: 'integer', min: 0, max: 9, nullable: true, description: 'Votes.', example: 4 },
  },
  server: [],
  optional: [],
};
const numbers = formFields(REVIEWS);
const REVIEW = { id: 'rev_a', rating: 3, votes: 2 };

describe('an edit form', () => {
  test('has the fields that a person may change, without the company and the state', () => {
    expect(fields.map(([name]) => name)).toEqual(['title', 'url', 'publishedAt']);
    expect(formFields(CONTRACT.mentions).map(([name]) => name)).toEqual([
      'source',
      'url',
      'title',
      'excerpt',
      'sentiment',
      'publishedAt',
    ]);
    expect(formFields(CONTRACT.companies).map(([name]) => name)).toEqual(['name', 'domain']);
  });

  test('shows null as an empty field', () => {
    expect(values).toEqual({ title: 'Words', url: '', publishedAt: '' });
  });
});

describe('a patch', () => {
  test('has only the fields that changed', () => {
    expect(patchOf(fields, CONTENT, values)).toEqual({});
    expect(patchOf(fields, CONTENT, { ...values, title: 'Better words' })).toEqual({ title: 'Better words' });
  });

  test('has null for a nullable field that was emptied, and the empty text for another', () => {
    const published = { ...CONTENT, url: 'https://a.example/' };
    expect(patchOf(fields, published, { ...formValues(fields, published), url: ' ' })).toEqual({ url: null });
    expect(patchOf(fields, CONTENT, { ...values, title: '' })).toEqual({ title: '' });
  });

  test('has numbers for integers', () => {
    const before = formValues(numbers, REVIEW);
    expect(before).toEqual({ rating: '3', votes: '2' });
    expect(patchOf(numbers, REVIEW, { rating: '5', votes: '' })).toEqual({ rating: 5, votes: null });
  });

  test('leaves the refusal of a text in an integer field to the service', () => {
    expect(patchOf(numbers, REVIEW, { rating: 'five', votes: '2' })).toEqual({ rating: 'five' });
    expect(patchOf(numbers, REVIEW, { rating: '', votes: '2' })).toEqual({ rating: '' });
  });
});
