import { readFileSync } from 'node:fs';
import { ERROR_CLASSES, RESOURCES, SvcApiError, VERSION } from '@svc/sdk';
import { createWorld } from '@svc/service/harness/world.ts';
import { API_ERROR_CODES } from '@svc/service/openapi/failures';
import { audits } from '@svc/service/resources/audits';
import type { Resource } from '@svc/service/resources/define';
import type { Field } from '@svc/service/resources/field';
import { RESOURCES as DECLARED } from '@svc/service/resources/index';
import { expect, test } from 'vitest';
import { clientOf } from './client.ts';

const { service, token } = await createWorld();

/** `api-keys` → `apiKeys`: the name of a resource's property. */
const propertyName = (name: string): string =>
  name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** What the client's table must say of a declaration. */
function entryOf({ name, singular, fields, list, filters, writable, immutable }: Resource): object {
  const sorts = Object.entries(list.sorts).filter(([sort]) => sort !== 'created');
  const camelCase = (column: string): string =>
    column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const byServer = namesOf(fields, (field) => field.from === 'server');
  const optional = namesOf(fields, (field) => field.from === 'client' && field.fallback !== undefined);
  return {
    name,
    singular,
    fields: Object.fromEntries(Object.entries(fields).map(([field, { kind }]) => [field, kind])),
    ...(list.sortable
      ? { sorts: Object.fromEntries(sorts.map(([sort, { column }]) => [sort, camelCase(column)])) }
      : {}),
    filters: Object.fromEntries(
      Object.entries(filters).map(([filter, { schema }]) => [filter, 'enum' in schema ? schema.enum : 'id']),
    ),
    ...(name === audits.name ? { counted: true } : {}),
    ...(writable ? { writes: immutable ? ['create'] : ['create', 'update', 'delete'] } : {}),
    ...(writable && byServer.length > 0 ? { server: byServer } : {}),
    ...(writable && optional.length > 0 ? { optional } : {}),
  };
}

const namesOf = (
  fields: Resource['fields'],
  condition: (field: Field<unknown>) => boolean,
): readonly string[] => Object.entries(fields).flatMap(([name, field]) => (condition(field) ? [name] : []));

test("the client's table of resources says what the service declares, and no more", () => {
  expect(RESOURCES).toEqual(
    Object.fromEntries(DECLARED.map((declared) => [propertyName(declared.name), entryOf(declared)])),
  );
});

test('a resource of the client has the methods that its entry in the table gives it, and no others', () => {
  const svc = clientOf(service.app, token);
  for (const [name, resource] of Object.entries(RESOURCES)) {
    const methods = new Set(['list', 'get', 'tail']);
    if ('counted' in resource) methods.add('count');
    for (const write of 'writes' in resource ? resource.writes : []) methods.add(write);
    if (methods.has('create')) methods.add('createMany').add('createBatches');
    const collection = Object.entries(svc).find(([property]) => property === name)?.[1];
    expect(new Set(Object.keys(collection ?? {}))).toEqual(methods);
  }
});

test('each code that a key can meet has an error class of its own, and no other code has', () => {
  expect(new Set(Object.keys(ERROR_CLASSES))).toEqual(new Set(API_ERROR_CODES));
  expect(new Set(Object.values(ERROR_CLASSES)).size).toBe(API_ERROR_CODES.length);
});

test("an error's name is that of its class, also when the code is minified", () => {
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

test('the version that the client tells is that of its package', () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(VERSION).toBe(manifest.version);
});
