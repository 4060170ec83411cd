import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { openApiDocument } from '@svc/openapi';
import { FAILURES } from '@svc/openapi/failures';
import type { MediaType, Response } from '@svc/openapi/types';
import { ERRORS, requiredFields, SEARCH, writableFields } from '@svc/sdk/contract';
import { expect, test } from 'vitest';
import { sortsOf } from '../../src/list/definition.ts';
import { conditionsOf } from '../../src/list/read.ts';
import { RECORD_RESOURCES, RESOURCES } from '../../src/resources/index.ts';
import { schemaViolations } from './response-check.ts';

const OPTIONS = { publicUrl: 'https://svc.example.com', version: '1.2.3' };
const document = openApiDocument(OPTIONS);
const text = JSON.stringify(document);

const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
const isResponse = (response: object): response is Response => 'description' in response;

test('the document is valid OpenAPI 3.1, and each of its references has a target', async () => {
  const validator = new Validator();
  expect(await validator.validate(JSON.parse(text))).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
  expect(() => validator.resolveRefs()).not.toThrow();
});

test('the document has the address of the service, its version and the bearer key as its security scheme', () => {
  expect(document).toMatchObject({
    servers: [{ url: 'https://svc.example.com' }],
    info: { version: '1.2.3' },
    security: [{ apiKey: [] }],
    components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
  });
});

test('the same options return the same object, and other options another one', () => {
  expect(openApiDocument({ ...OPTIONS })).toBe(document);
  expect(openApiDocument({ ...OPTIONS, version: '1.2.4' })).not.toEqual(document);
});

test('every component is used', () => {
  const { securitySchemes: _, ...referenced } = document.components;
  const unused = Object.entries(referenced).flatMap(([kind, components]) =>
    Object.keys(components)
      .map((name) => `#/components/${kind}/${name}`)
      .filter((pointer) => !text.includes(JSON.stringify({ $ref: pointer }).slice(1, -1))),
  );
  expect(unused).toEqual([]);
});

test('operations have unique ids, a summary, a description and the tag of their resource', () => {
  const tags = document.tags.map(({ name }) => name);
  expect(tags).toEqual([...RESOURCES.map(({ name }) => name), 'batch']);
  const changed = (type: string, types: string) => [
    ...[`list${types}`, `export${types}`, `get${type}`, `put${type}`, `update${type}`, `delete${type}`],
    ...[`create${type}`, `create${type}Batch`, `update${type}Batch`, `delete${type}Batch`],
  ];
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
    [
      ...['listAudits', 'exportAudits', 'countAudits', 'getAudit', 'putAudit'],
      ...['createAudit', 'createAuditBatch'],
      ...changed('Mention', 'Mentions'),
      ...changed('Content', 'Content'),
      ...changed('Company', 'Companies'),
      ...['batch', 'getMe', 'listApiKeys', 'getApiKey', 'listAuditLog', 'getAuditLogEntry'],
      ...['listChanges', 'getChange', 'streamChanges'],
    ].sort(),
  );
  for (const operation of operations) {
    expect(operation.summary).toMatch(/^\w+ \w/);
    expect(operation.description).toMatch(/\.$/);
    expect(tags).toEqual(expect.arrayContaining([...operation.tags]));
  }
});

test('every resource has the schema of its wire type', () => {
  const wire = readFileSync(new URL('../../../sdk/src/wire.ts', import.meta.url), 'utf8');
  for (const { type, fields } of RESOURCES) {
    expect(wire).toContain(`export type ${type} =`);
    expect(Object.keys(Object(document.components.schemas[type]?.['properties']))).toEqual(
      Object.keys(fields),
    );
  }
});

test('the schemas of request bodies have exactly the fields of the contract, and refuse a misspelt field', () => {
  const schema = (name: string) => document.components.schemas[name] ?? {};
  for (const resource of RECORD_RESOURCES) {
    const create = schema(`New${resource.type}`);
    expect(Object.keys(Object(create['properties']))).toEqual(
      Object.keys(writableFields(resource, 'create')),
    );
    expect(create).toMatchObject({
      required: requiredFields(resource, 'create'),
      additionalProperties: false,
    });
    expect(schema(`New${resource.type}Batch`)).toMatchObject({
      required: ['data'],
      additionalProperties: false,
    });
    const patch = schema(`${resource.type}Patch`);
    if (resource.immutable) expect(patch).toEqual({});
    else {
      expect(Object.keys(Object(patch['properties']))).toEqual(
        Object.keys(writableFields(resource, 'patch')),
      );
      expect(patch).toMatchObject({ additionalProperties: false });
      expect(patch).not.toHaveProperty('required');
    }
  }
});

test('a merge patch of one record is also accepted with its own media type', () => {
  const types = operations
    .filter(({ operationId }) => /^update(?!.*Batch$)/.test(operationId))
    .map(({ requestBody }) => Object.keys(requestBody?.content ?? {}));
  expect(types.length).toBeGreaterThan(0);
  for (const type of types) expect(type).toEqual(['application/json', 'application/merge-patch+json']);
});

test('every example is valid for its schema', () => {
  const responses = [
    ...operations.flatMap((operation) => Object.values(operation.responses)),
    ...Object.values(document.components.responses),
  ].filter(isResponse);
  const media = [
    ...responses.flatMap(({ content = {} }) => Object.values(content)),
    ...operations.flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {})),
  ];
  const examplesOf = ({ example, examples = {} }: MediaType): readonly unknown[] => [
    ...(example === undefined ? [] : [example]),
    ...Object.values(examples).map(({ value }) => value),
  ];
  expect(media.length).toBeGreaterThan(operations.length);
  for (const type of media) {
    expect(examplesOf(type)).not.toEqual([]);
    for (const example of examplesOf(type)) expect(schemaViolations(type.schema, example)).toEqual([]);
  }
});

test('the order of creation times excepts imports, which can give a record a time in the past', () => {
  const properties = Object.values(document.components.schemas).flatMap(
    (schema) => Object(schema['properties']).createdAt ?? [],
  );
  expect(properties.length).toBeGreaterThan(0);
  for (const { description } of properties)
    if (/later time than all earlier ones/.test(description))
      expect(description).toContain(', unless an import sets its time.');
});

test('the deletion of companies says that a company with audits cannot be deleted', () => {
  const saysIt = operations
    .filter(({ description }) => description.includes('A company with audits can never be deleted.'))
    .map(({ operationId }) => operationId);
  expect(saysIt).toEqual(['deleteCompanyBatch', 'deleteCompany']);
});

test('a filter says that it makes short pages exactly if the service compares it row by row', () => {
  const notedIn = (path: string): readonly string[] =>
    (document.paths[path]?.get?.parameters ?? []).flatMap((parameter) => {
      const isNoted =
        'name' in parameter && /compared row by row: a page can have fewer/i.test(parameter.description);
      return isNoted ? [parameter.name] : [];
    });
  const comparedIn = ({ list, filters, unindexed = {}, searched }: (typeof RESOURCES)[number]) => {
    const names = Object.keys(filters).filter((name) =>
      sortsOf(list).some(
        (sort) =>
          conditionsOf(list, { filters: { [name]: 'value' }, sort }, { workspaceId: '', companyId: null })
            .compared.length > 0,
      ),
    );
    return [...names, ...Object.keys(unindexed), ...(searched === undefined ? [] : [SEARCH])].sort();
  };
  for (const resource of RESOURCES)
    expect({ [resource.name]: notedIn(`/v1/${resource.name}`).toSorted() }).toEqual({
      [resource.name]: comparedIn(resource),
    });
  expect(notedIn('/v1/changes')).toEqual(['resource', 'type', 'companyId']);
  // A stream has no pages.
  expect(notedIn('/v1/changes/stream')).toEqual([]);
});

test('only the id of a new record cannot be a word of a path, because records from before that rule can be changed', () => {
  const { schemas } = document.components;
  const refused = (name: string, body: unknown): boolean =>
    schemaViolations(schemas[name] ?? {}, body).length > 0;
  for (const id of ['export', 'batch']) {
    expect(refused('NewCompany', { id, name: 'A' })).toBe(true);
    expect(refused('WholeCompany', { id, name: 'A' })).toBe(false);
    expect(refused('CompanyPatchBatch', { data: [{ id, name: 'A' }] })).toBe(false);
    expect(refused('IdBatch', { data: [{ id }] })).toBe(false);
  }
  expect(refused('CompanyPatchBatch', { data: [{ id: 'count', name: 'A' }] })).toBe(true);
});

test('the codes of one failure share one status', () => {
  for (const codes of Object.values(FAILURES)) {
    expect(new Set(codes.map((code) => ERRORS[code].status)).size).toBe(1);
  }
});

test('published schemas of responses allow fields that are added later', () => {
  const { schemas, ...rest } = document.components;
  const bodies = JSON.stringify(operations.map(({ requestBody }) => requestBody ?? {}));
  const ofBodies = (name: string): boolean =>
    bodies.includes(`"#/components/schemas/${name}"`) || /^New|Patch$/.test(name);
  const answers = Object.entries(schemas).filter(([name]) => !ofBodies(name));
  expect(answers.length).toBeGreaterThan(RESOURCES.length);
  expect(JSON.stringify([answers, rest, document.paths])).not.toContain('additionalProperties');
});
