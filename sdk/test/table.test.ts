import { readFileSync } from 'node:fs';
import { ERROR_CLASSES, RESOURCES, SvcApiError, VERSION } from '@svc/sdk';
import { CONTRACT, ERROR_CODES, ME } from '@svc/sdk/contract';
import { createWorld } from '@svc/service/harness/world.ts';
import { expect, test } from 'vitest';
import { clientOf } from './client.ts';

const { service, token } = await createWorld();

/** `api-keys` → `apiKeys`: the name of a resource's property. */
const propertyName = (name: string): string =>
  name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

test('the key of a resource in the contract is its name in camel case', () => {
  expect(Object.keys(CONTRACT)).toEqual(Object.values(CONTRACT).map(({ name }) => propertyName(name)));
});

test("an entry of the client's table has the kinds of the fields, the sorts, the filters and the allowed writes", () => {
  const { content, companies, apiKeys } = RESOURCES;
  expect(Object.keys(RESOURCES)).toEqual(Object.keys(CONTRACT));
  expect(RESOURCES.audits).toEqual({
    name: 'audits',
    singular: 'audit',
    fields: { id: 'text', companyId: 'text', headlineScore: 'integer', completedAt: 'time' },
    sorts: { completed: 'completedAt', score: 'headlineScore' },
    filters: { companyId: 'id' },
    ranges: {
      createdAfter: { kind: 'time', sort: 'created' },
      createdBefore: { kind: 'time', sort: 'created' },
      completedAfter: { kind: 'time', sort: 'completed' },
      completedBefore: { kind: 'time', sort: 'completed' },
      headlineScoreMin: { kind: 'integer', sort: 'score' },
      headlineScoreMax: { kind: 'integer', sort: 'score' },
    },
    counted: true,
    writes: ['create'],
  });
  expect(content).toMatchObject({
    filters: { status: ['draft', 'in_review', 'scheduled', 'published', 'archived'] },
    writes: ['create', 'update', 'delete'],
    server: ['createdAt', 'updatedAt'],
    optional: ['url', 'status', 'publishedAt'],
  });
  expect(companies.filters).toEqual({});
  expect(RESOURCES.mentions).toMatchObject({
    filters: { companyId: 'id', source: 'text', sentiment: ['positive', 'neutral', 'negative'] },
    searched: true,
  });
  expect(Object.keys(apiKeys)).toEqual(['name', 'singular', 'fields', 'filters', 'ranges']);
  expect('ranges' in RESOURCES.changes).toBe(false);
});

test('a resource of the client has exactly the methods of its entry in the table', () => {
  const svc = clientOf(service.app, token);
  for (const [name, resource] of Object.entries(RESOURCES)) {
    const methods = new Set(['list', 'get', 'select', 'tail']);
    if ('positions' in resource) methods.add('stream');
    if ('counted' in resource) methods.add('count');
    for (const write of 'writes' in resource ? resource.writes : []) methods.add(write);
    if (methods.has('create')) methods.add('createMany').add('createBatches').add('upsert').add('export');
    if (methods.has('update')) methods.add('updateMany');
    if (methods.has('delete')) methods.add('deleteMany');
    const collection = Object.entries(svc).find(([property]) => property === name)?.[1];
    expect(new Set(Object.keys(collection ?? {}))).toEqual(methods);
  }
});

test('`me` returns the key of the client', async () => {
  const svc = clientOf(service.app, token);
  const me = await svc.me();
  expect(Object.keys(me)).toEqual(Object.keys(ME));
  expect(me).toMatchObject({ key: { mode: svc.mode, access: 'read' }, company: null });
});

test('each code that a client can get has its own error class, and no other code has one', () => {
  expect(new Set(Object.keys(ERROR_CLASSES))).toEqual(new Set(ERROR_CODES));
  expect(new Set(Object.values(ERROR_CLASSES)).size).toBe(ERROR_CODES.length);
});

test("an error's name is that of its class, even if the code is minified", () => {
  for (const [code, Class] of Object.entries(ERROR_CLASSES)) {
    const error = new Class({
      code,
      status: 400,
      message: 'm',
      requestId: undefined,
      retryAfterMs: undefined,
    });
    expect(error).toBeInstanceOf(SvcApiError);
    expect(error.name).toBe(Class.name);
  }
});

test('the version that the client sends is that of its package', () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(VERSION).toBe(manifest.version);
});
