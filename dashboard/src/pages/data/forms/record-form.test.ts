import { CONTRACT, type ResourceContract } from '@svc/sdk/contract';
import { describe, expect, test } from 'vitest';
import { ApiFailure } from '../../../api/failure.ts';
import {
  changedByBoth,
  creationFields,
  creationOf,
  fieldErrors,
  formFields,
  formValues,
  patchOf,
  startValues,
  valuesAfter,
} from './record-form.ts';

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

describe('the latest version', () => {
  const latest = { ...CONTENT, title: 'Their words', url: 'https://a.example/' };
  test('replaces only what the person has not changed', () => {
    expect(valuesAfter(fields, CONTENT, latest, { ...values, title: 'My words' })).toEqual({
      title: 'My words',
      url: 'https://a.example/',
      publishedAt: '',
    });
  });

  test('is compared with what the person has changed', () => {
    const compare = (mine: Partial<typeof latest>) =>
      changedByBoth(fields, CONTENT, latest, { ...values, ...mine } as typeof values);
    expect(compare({})).toEqual([]);
    expect(compare({ title: 'Their words' })).toEqual([]);
    expect(compare({ title: 'My words' })).toEqual(['Title is now "Their words".']);
    const filled = { ...CONTENT, url: 'https://a.example/' };
    const mine = { ...formValues(fields, filled), url: 'https://b.example/' };
    expect(changedByBoth(fields, filled, CONTENT, mine)).toEqual(['URL is now empty.']);
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

describe('a form for a new record', () => {
  const creation = creationFields(CONTRACT.content);

  test('has the fields that a person may set, without the id and the company, and starts with the defaults', () => {
    expect(startValues(creation)).toEqual({ title: '', url: '', status: 'draft', publishedAt: '' });
  });

  test('sends null fields as left out, and numbers for integers', () => {
    expect(creationOf(creation, { ...startValues(creation), title: 'Words' })).toEqual({
      title: 'Words',
      status: 'draft',
    });
    expect(creationOf(creationFields(CONTRACT.audits), { headlineScore: '74', completedAt: '' })).toEqual({
      headlineScore: 74,
      completedAt: '',
    });
  });
});

describe('the refusals of a body', () => {
  const refusal = (message: string): ApiFailure =>
    new ApiFailure({ code: 'invalid_body', message, status: 400, requestId: null, retryAfterSeconds: null });

  test('are shown at their fields', () => {
    expect(
      fieldErrors(refusal('/title is required. /url must be an address. Yes.'), ['title', 'url']),
    ).toEqual({
      title: 'Is required.',
      url: 'Must be an address. Yes.',
    });
  });

  test('are shown together if one is about something else', () => {
    expect(fieldErrors(refusal('/title is required. /size is unknown.'), ['title'])).toEqual({});
    expect(fieldErrors(refusal('The body must be a JSON object.'), ['title'])).toEqual({});
    expect(fieldErrors(new Error('/title is required.'), ['title'])).toEqual({});
  });
});
