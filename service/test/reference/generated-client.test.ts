import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApiDocument } from '@svc/openapi';
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { beforeAll, expect, test } from 'vitest';
import { REPOSITORY } from '../docs/documents.ts';
import { runExample } from '../docs/run.ts';
import { typeErrors } from '../docs/typescript.ts';
import { COMPANY } from '../harness/lists.ts';
import { listen } from '../harness/socket.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { createWorld, ITEMS } from '../harness/world.ts';

/** A program that uses a generated client instead of the SDK. */
const PROGRAM = `
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.ts';

const client = createClient<paths>({
  baseUrl: process.env['SVC_BASE_URL'],
  headers: { authorization: \`Bearer \${process.env['SVC_API_KEY']}\` },
});

const ids: string[] = [];
let cursor: string | undefined;
do {
  const { data, error } = await client.GET('/v1/audits', {
    params: { query: { limit: 5, sort: 'score-descending', ...(cursor === undefined ? {} : { cursor }) } },
  });
  if (error !== undefined) throw new Error(error.error.code);
  ids.push(...data.data.map(({ id }) => id));
  cursor = data.pagination.nextCursor ?? undefined;
} while (cursor !== undefined);

const created: components['schemas']['Content'] | undefined = (
  await client.POST('/v1/content', {
    body: { companyId: '${COMPANY}', title: 'How Acme saves water' },
    params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
  })
).data;

const refused = await client.GET('/v1/audits/{id}', { params: { path: { id: 'aud_none' } } });
console.log(JSON.stringify({ ids, status: created?.status, code: refused.error?.error.code }));
`;

const MISTAKES = `
import createClient from 'openapi-fetch';
import type { paths } from './schema.ts';

const client = createClient<paths>();
await client.GET('/v1/audits', { params: { query: { companyID: 'com_one' } } });
await client.GET('/v1/audits', { params: { query: { sort: 'score' } } });
await client.GET('/v1/audit');
await client.POST('/v1/content', { body: { title: 'of no company' } });
await client.DELETE('/v1/audits/{id}', { params: { path: { id: 'aud_one' } } });
const { data } = await client.GET('/v1/companies/{id}', { params: { path: { id: 'com_one' } } });
console.log(data?.nmae);
`;

const { service, workspaceId } = await createWorld();
let directory: string;

beforeAll(async () => {
  directory = await temporaryDirectory();
  await writeFile(join(directory, 'package.json'), '{"type": "module"}');
  await mkdir(join(directory, 'node_modules'));
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers']) {
    await symlink(join(REPOSITORY, 'node_modules', name), join(directory, 'node_modules', name));
  }
  const document = openApiDocument({ publicUrl: 'http://svc.test', version: '0' });
  // The generator's own type of a document is narrower than OpenAPI 3.1.
  const types = await openapiTypescript(document as unknown as OpenAPI3);
  await writeFile(join(directory, 'schema.ts'), astToString(types));
});

test('a client that is generated from the document is typed and calls the service', async () => {
  await writeFile(join(directory, 'program.ts'), PROGRAM);
  expect(await typeErrors(directory, [join(directory, 'program.ts')])).toBe('');
  const token = await service.token(workspaceId, { mode: 'test', access: 'write' });
  const env = { SVC_BASE_URL: await listen(service), SVC_API_KEY: token };
  const { stdout } = await runExample({ language: 'ts', text: PROGRAM }, env, directory);
  const { ids, ...rest } = JSON.parse(stdout) as { ids: string[] };
  expect(new Set(ids).size).toBe(ITEMS);
  expect(rest).toEqual({ status: 'draft', code: 'not_found' });
});

test('a client that is generated from the document does not compile with requests that the service would refuse', async () => {
  const file = join(directory, 'mistakes.ts');
  await writeFile(file, MISTAKES);
  const errors = await typeErrors(directory, [file]);
  const lines = [...errors.matchAll(/mistakes\.ts\((\d+),/g)].map(([, line]) => Number(line));
  expect([...new Set(lines)]).toEqual([6, 7, 8, 9, 10, 12]);
});
