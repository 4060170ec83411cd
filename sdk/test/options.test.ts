import { SvcError } from '@svc/sdk';
import { createWorld } from '@svc/service/harness/world.ts';
import { RESOURCES as DECLARED } from '@svc/service/resources/index';
import { describe, expect, test } from 'vitest';
import { clientOf, fetchOf } from './client.ts';
import { type AnyCollection, collectionOf } from './lists/lists.ts';

// What JavaScript can pass and TypeScript refuses. None of it may reach the service, be ignored or be taken for
// another value.

const { service, token } = await createWorld();
let sent = 0;
const fetchApp = fetchOf(service.app);
const svc = clientOf(service.app, token, {
  fetch: (url, init) => {
    sent += 1;
    return fetchApp(url, init);
  },
});

/** The client as a program without types sees it. */
type Untyped = Readonly<Record<string, (...args: readonly unknown[]) => PromiseLike<unknown>>>;
const untyped = (collection: object): Untyped => collection as Untyped;
const audits = untyped(svc.audits);
const companies = untyped(svc.companies);
const changes = untyped(svc.changes);
const call = (collection: Untyped, method: string, ...args: readonly unknown[]): Promise<unknown> =>
  (async () => collection[method]?.(...args))();

/** A key that the service accepts, but not with the number of a batch. */
const LONG = { idempotencyKey: 'k'.repeat(241) };
const UNSET = [null, Number.NaN, Number.POSITIVE_INFINITY, '', {}, ['com_a'], () => 'com_a', Symbol('com_a')];
const filtersOf = (name: string): readonly string[] => [
  ...Object.keys(DECLARED.find((resource) => resource.name === name)?.list.filters ?? {}),
  ...(DECLARED.find((resource) => resource.name === name)?.list.sortable === true ? ['sort'] : []),
  'limit',
];

describe.each(DECLARED.map(({ name }) => name))('a list of %s', (name) => {
  const collection: AnyCollection = collectionOf(svc, name);

  test.each(filtersOf(name))(
    'refuses a %s that is unset or not a value, instead of sending it',
    async (filter) => {
      sent = 0;
      for (const value of UNSET) {
        const options = { [filter]: value };
        const message = `"${filter}" is `;
        await expect(call(untyped(collection), 'list', options), String(value)).rejects.toThrow(SvcError);
        await expect(call(untyped(collection), 'list', options)).rejects.toThrow(message);
        await expect(Array.fromAsync(collection.list(options))).rejects.toThrow(message);
        if (filter === 'sort' || filter === 'limit') continue;
        await expect(Array.fromAsync(collection.tail(options))).rejects.toThrow(message);
      }
      expect(sent).toBe(0);
    },
  );
});

test('an option that is undefined counts as left out', async () => {
  const options = {
    companyId: undefined,
    limit: undefined,
    cursor: undefined,
    sort: undefined,
    signal: undefined,
  };
  expect(await svc.audits.list(options)).toEqual(await svc.audits.list());
});

test.each<readonly [string, Untyped, string, readonly unknown[], string]>([
  ['an id that is undefined', audits, 'get', [], 'An id must be a string, not undefined.'],
  ['an id that is empty', audits, 'get', [''], 'An id must not be empty.'],
  ['an id with half of a character', audits, 'get', ['a\uD800'], 'must not have half of a character'],
  ['an id that is a path', audits, 'get', ['..'], '".." cannot be an id.'],
  ['the path of the count as an id', audits, 'get', ['count'], '"count" cannot be an id here.'],
  ['the path of the stream as an id', changes, 'get', ['stream'], 'Use the method `stream()`.'],
  ['options that are null', audits, 'list', [null], 'The options must be an object, not null.'],
  ['options of a tail that are null', audits, 'tail', [null], 'The options must be an object, not null.'],
  [
    'options of a call that are text',
    audits,
    'get',
    ['aud_a', 'x'],
    'The options must be an object, not string.',
  ],
  [
    'a direction of a list',
    audits,
    'list',
    [{ direction: 'before' }],
    'There is no option "direction" here: call `before()`',
  ],
  ['a limit of a tail', audits, 'tail', [{ limit: 5 }], 'There is no option "limit" here'],
  ['an `after` that is null', audits, 'tail', [{ after: null }], '"after" is not a position'],
  [
    'a `follow` that is not a boolean',
    audits,
    'tail',
    [{ follow: 'no' }],
    '"follow" must be true or false, not "no".',
  ],
  ['fields that are a text', audits, 'list', [{ fields: 'id' }], '"fields" is "id". Pass an array of names'],
  ['fields that are none', audits, 'get', ['aud_a', { fields: [] }], '"fields" is an array.'],
  ['fields of a tail', audits, 'tail', [{ fields: ['id'] }], 'a tail yields whole records'],
  ['a signal that is not a signal', audits, 'list', [{ signal: {} }], '"signal" must be an AbortSignal'],
  [
    'a signal of a call that is null',
    audits,
    'get',
    ['aud_a', { signal: null }],
    '"signal" must be an AbortSignal, not null.',
  ],
  ['a count of null', audits, 'count', [{ approximate: null }], '"approximate" is null.'],
  [
    'a misspelt option of create',
    companies,
    'create',
    [{ name: 'A' }, { idempotencykey: 'x' }],
    'There is no option "idempotencykey". Did you mean "idempotencyKey"?',
  ],
  [
    'a misspelt option of createMany',
    companies,
    'createMany',
    [[{ name: 'A' }], { batchsize: 5 }],
    'Did you mean "batchSize"?',
  ],
  [
    'a misspelt option of update',
    companies,
    'update',
    ['com_a', {}, { ifmatch: '"x"' }],
    'Did you mean "ifMatch"?',
  ],
  [
    'a misspelt option of delete',
    companies,
    'delete',
    ['com_a', { ifmatch: '"x"' }],
    'Did you mean "ifMatch"?',
  ],
  [
    'an unknown option of get',
    audits,
    'get',
    ['aud_a', { expand: 'company' }],
    'The options are signal, timeoutMs, retries, headers, fields.',
  ],
  [
    'an idempotency key that is null',
    companies,
    'create',
    [{ name: 'A' }, { idempotencyKey: null }],
    '"idempotencyKey" must be a non-empty string, not null.',
  ],
  [
    'an idempotency key that is empty',
    companies,
    'createMany',
    [[{ name: 'A' }], { idempotencyKey: '' }],
    '"idempotencyKey" must be a non-empty string',
  ],
  ['a long key for batches', companies, 'createMany', [[], LONG], 'at most 240 characters, not 241'],
  ['a long key for deletions', companies, 'deleteMany', [[], LONG], 'at most 240 characters, not 241'],
  ['an ETag that is null', companies, 'delete', ['com_a', { ifMatch: null }], '"ifMatch" must be an ETag'],
  ['an ETag that is empty', companies, 'update', ['com_a', {}, { ifMatch: '' }], '"ifMatch" must be an ETag'],
  [
    'a record that is undefined',
    companies,
    'create',
    [],
    'The record cannot be written as JSON: it is undefined.',
  ],
  [
    'a record with the number NaN',
    audits,
    'create',
    [{ headlineScore: Number.NaN }],
    '"headlineScore" is NaN.',
  ],
  [
    'a change to an invalid date',
    companies,
    'update',
    ['com_a', { domain: new Date('') }],
    '"domain" is Invalid Date.',
  ],
  ['an array without a maximum', untyped(svc.audits.list()), 'toArray', [], '`toArray` needs a maximum'],
  [
    'a path without a slash',
    untyped(svc),
    'request',
    ['GET', 'v1/audits'],
    'The path must begin with one slash',
  ],
  [
    'a path of another host',
    untyped(svc),
    'request',
    ['GET', '//elsewhere.test/'],
    'The path must begin with one slash',
  ],
  ['no path', untyped(svc), 'request', ['GET'], 'The path must begin with one slash'],
  [
    'no method',
    untyped(svc),
    'request',
    [undefined, '/v1/audits'],
    'The method must be a string, not undefined.',
  ],
  [
    'a misspelt option of a request',
    untyped(svc),
    'request',
    ['GET', '/v1/audits', { params: {} }],
    'There is no option "params".',
  ],
  [
    'a parameter of a request that is null',
    untyped(svc),
    'request',
    ['GET', '/v1/audits', { query: { companyId: null } }],
    '"companyId" is null.',
  ],
  [
    'a body that JSON cannot represent',
    untyped(svc),
    'request',
    ['POST', '/v1/companies', { body: 1n }],
    'The body cannot be written as JSON',
  ],
  [
    'headers that are text',
    untyped(svc),
    'request',
    ['GET', '/v1/audits', { headers: 'x' }],
    '"headers" must be an object',
  ],
])(
  '%s is refused with an SvcError that says what is allowed, and nothing is sent',
  async (_, collection, method, args, message) => {
    sent = 0;
    const refused = call(collection, method, ...args);
    await expect(refused).rejects.toThrow(SvcError);
    await expect(refused).rejects.toThrow(message);
    expect(sent).toBe(0);
  },
);
