import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { ERRORS } from '../../src/http/errors.ts';
import { openApiDocument } from '../../src/openapi/document.ts';
import { FAILURES } from '../../src/openapi/failures.ts';
import type { MediaType, Response } from '../../src/openapi/types.ts';
import { RESOURCES } from '../../src/resources/index.ts';
import { schemaViolations } from './response-check.ts';

const OPTIONS = { publicUrl: 'https://svc.example.com', version: '1.2.3' };
const document = openApiDocument(OPTIONS);
const text = JSON.stringify(document);

const operations = Object.values(document.paths).map(({ get }) => get);
const isResponse = (response: object): response is Response => 'description' in response;

test('the document is valid OpenAPI 3.1 and each of its references leads somewhere', async () => {
  const validator = new Validator();
  expect(await validator.validate(JSON.parse(text))).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
  expect(() => validator.resolveRefs()).not.toThrow();
});

test('the document says where the service is, which version it is, and that a bearer key is needed', () => {
  expect(document).toMatchObject({
    servers: [{ url: 'https://svc.example.com' }],
    info: { version: '1.2.3' },
    security: [{ apiKey: [] }],
    components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
  });
});

test('the same options give the same object, and other options another one', () => {
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
  expect(tags).toEqual(RESOURCES.map(({ name }) => name));
  expect(operations.map(({ operationId }) => operationId)).toEqual([
    ...['listAudits', 'countAudits', 'getAudit', 'listMentions', 'getMention', 'listContent', 'getContent'],
    ...['listCompanies', 'getCompany', 'listApiKeys', 'getApiKey', 'listAuditLog', 'getAuditLogEntry'],
  ]);
  for (const operation of operations) {
    expect(operation.summary).toMatch(/^\w+ \w/);
    expect(operation.description).toMatch(/\.$/);
    expect(tags).toEqual(expect.arrayContaining([...operation.tags]));
  }
});

test('every resource has the schema of its wire type', () => {
  const wire = readFileSync(new URL('../../../sdk/src/wire.ts', import.meta.url), 'utf8');
  for (const { type, fields } of RESOURCES) {
    expect(wire).toContain(`export interface ${type} {`);
    expect(Object.keys(Object(document.components.schemas[type]?.['properties']))).toEqual(
      Object.keys(fields),
    );
  }
});

test('every example is what its own schema demands', () => {
  const responses = [
    ...operations.flatMap((operation) => Object.values(operation.responses)),
    ...Object.values(document.components.responses),
  ].filter(isResponse);
  const media = responses.flatMap(({ content }) =>
    content === undefined ? [] : [content['application/json']],
  );
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

test('the codes of one failure share one status', () => {
  for (const codes of Object.values(FAILURES)) {
    expect(new Set(codes.map((code) => ERRORS[code].status)).size).toBe(1);
  }
});

test('published schemas stay open for fields to come', () => {
  expect(text).not.toContain('additionalProperties');
});
