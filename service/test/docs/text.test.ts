import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { CLIENT_PACKAGE } from '@svc/docs-pages/client-package';
import { readGuides } from '@svc/docs-pages/guides';
import { openApiDocument } from '@svc/openapi';
import type { JsonSchema } from '@svc/sdk/contract';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packClient } from '../../../sdk/tools/pack.ts';
import { createApp } from '../../src/app.ts';
import { lanesOver } from '../../src/database/lanes.ts';
import { createPool } from '../../src/database/pool.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { DOCUMENTS, REPOSITORY, readDocument } from './documents.ts';

// The documentation as Markdown, and the packed client. These paths ask no database, so this pool never connects.
const pool = createPool({
  url: 'postgres://127.0.0.1:1/none',
  max: 1,
  name: 'test',
  onError: () => undefined,
});
const ADDRESS = 'https://example.com/svc';
/** Of the size that the guide states. */
const SIZE_TOLERANCE = 0.15;
const FULL_MAX_BYTES = 250_000;

let app: FastifyInstance;
beforeAll(async () => {
  packClient(join(REPOSITORY, 'sdk/package'));
  app = createApp({
    lanes: lanesOver(pool),
    secrets: ['a secret of the tests, 32 characters or more'],
    config: { trustProxy: false, failedAuthPerMinute: 1, publicUrl: ADDRESS },
    log: pino({ level: 'silent' }),
  });
  await app.ready();
});
afterAll(async () => {
  await app.close();
  await pool.end();
});

const textAt = async (path: string): Promise<string> => (await app.inject(path)).body;
const guides = readGuides();
const PAGES = ['/docs', ...guides.map(({ name }) => `/docs/${name}`)];

describe.each(PAGES)('%s', (path) => {
  test('is Markdown at its address with .md, and at its address for who prefers Markdown', async () => {
    const file = await app.inject(`${path}.md`);
    expect([file.statusCode, file.headers['content-type']]).toEqual([200, 'text/markdown; charset=utf-8']);
    expect(file.headers.vary).toBe('accept-encoding');
    expect(file.body).toMatch(/^# \S/);
    expect(file.body).not.toContain('127.0.0.1');

    const asked = await app.inject({ url: path, headers: { accept: 'text/markdown, text/html;q=0.5' } });
    expect([asked.statusCode, asked.headers['content-type']]).toEqual([200, 'text/markdown; charset=utf-8']);
    expect(asked.headers.vary).toBe('accept, accept-encoding');
    expect(asked.body).toBe(file.body);

    const page = await app.inject({ url: path, headers: { accept: 'text/html, */*;q=0.1' } });
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      vary: 'accept, accept-encoding',
    });
    expect(page.headers.etag).not.toBe(asked.headers.etag);
    expect(page.body).toContain(`<link rel="alternate" type="text/markdown" href="/svc${path}.md">`);
    const again = await app.inject({
      url: path,
      headers: { accept: 'text/markdown', 'if-none-match': String(asked.headers.etag) },
    });
    expect(again.statusCode).toBe(304);
  });

  test('leads, as Markdown, only to pages of this service that are there, and to their sections', async () => {
    const text = (await textAt(`${path}.md`)).replaceAll(/`[^`\n]+`/g, '');
    const links = [...text.matchAll(/\]\((?!https:\/\/www\.)([^)]+)\)/g)];
    for (const [, link = ''] of links) {
      if (link.startsWith('#')) continue;
      expect(link).toMatch(/^https:\/\/example\.com\/svc\//);
      const { statusCode } = await app.inject(link.slice(ADDRESS.length).replace(/#.*/, ''));
      expect({ link, statusCode }).toEqual({ link, statusCode: 200 });
    }
  });
});

test('/llms.txt names each page with the address of the service, and every link leads to a page', async () => {
  const { statusCode, headers, body } = await app.inject('/llms.txt');
  expect([statusCode, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(body).toMatch(/^# svc\n\n> \S/);
  const links = [...body.matchAll(/^- \[.+\]\((.+)\): \S/gm)].map(([, link = '']) => link);
  expect(links).toEqual(expect.arrayContaining(PAGES.map((path) => `${ADDRESS}${path}.md`)));
  for (const link of [...links, ...(body.match(/https:\S+\.tgz/g) ?? [])]) {
    expect(link.startsWith(`${ADDRESS}/`)).toBe(true);
    expect([link, (await app.inject(link.slice(ADDRESS.length))).statusCode]).toEqual([link, 200]);
  }
});

test('/llms-full.txt has every guide and the reference, and its size is bounded', async () => {
  const { body, headers, rawPayload } = await app.inject({
    url: '/llms-full.txt',
    headers: { 'accept-encoding': 'br' },
  });
  const text = headers['content-encoding'] === 'br' ? String(brotliDecompressSync(rawPayload)) : body;
  for (const path of PAGES) {
    const page = await textAt(`${path}.md`);
    if (path === '/docs/changelog') expect(text).not.toContain(page);
    else expect(text).toContain(page);
  }
  const bytes = Buffer.byteLength(text);
  expect(bytes).toBeLessThan(FULL_MAX_BYTES);
  const [, kilobytes] = /in one file of about (\d+) kB/.exec(readDocument('docs/guides/agents.md')) ?? [];
  expect(Math.abs(Number(kilobytes) * 1_000 - bytes)).toBeLessThan(SIZE_TOLERANCE * bytes);
});

interface NestedField {
  /** The start of its line, which is indented as deep as the field is. */
  readonly start: string;
  readonly required: boolean;
  readonly pattern: unknown;
}

/** The fields of an object or of the items of an array, each followed by the fields in it. */
function nestedFields(schema: JsonSchema, indent = ''): readonly NestedField[] {
  const { properties, required = [], items } = schema;
  const fields = Object.entries(Object(properties) as Readonly<Record<string, JsonSchema>>);
  return [
    ...fields.flatMap(([field, value]) => [
      {
        start: `${indent}- \`${field}\``,
        required: (required as readonly string[]).includes(field),
        pattern: value['pattern'],
      },
      ...nestedFields(value, `${indent}  `),
    ]),
    ...(items === undefined ? [] : nestedFields(items as JsonSchema, indent)),
  ];
}

test('the reference as Markdown has every operation, parameter, field and error code of the document', async () => {
  const text = await textAt('/docs.md');
  const { paths, components } = openApiDocument({ publicUrl: ADDRESS, version: '0.0.0' });
  for (const [path, item] of Object.entries(paths))
    for (const method of Object.keys(item)) expect(text).toContain(`\n### ${method.toUpperCase()} ${path}\n`);
  // The others are headers of webhooks, which the guide of webhooks has.
  const shared = JSON.stringify(paths).match(/(?<=#\/components\/parameters\/)\w+/g) ?? [];
  expect(shared.length).toBeGreaterThan(0);
  for (const id of shared) {
    const { name, in: place, required } = components.parameters[id] ?? {};
    const lines = text.split('\n').filter((line) => line.startsWith(`- \`${name}\` (${place}, `));
    expect(lines).not.toEqual([]);
    expect(lines.filter((line) => line.includes(', optional): ') === required)).toEqual([]);
  }
  for (const [name, schema] of Object.entries(components.schemas)) {
    const [, section = ''] = text.split(`\n### ${name}\n`);
    expect(section).not.toBe('');
    const [own = ''] = section.split(/\n##/);
    const lines = own.split('\n').filter((line) => /^ *- `/.test(line));
    const fields = nestedFields(schema);
    expect([name, lines.map((line) => line.split(' (')[0])]).toEqual([
      name,
      fields.map(({ start }) => start),
    ]);
    for (const [index, { required, pattern = '' }] of fields.entries()) {
      expect(lines[index]?.includes(', optional)')).toBe(!required);
      expect(lines[index]).toContain(String(pattern));
    }
  }
  expect(text).not.toMatch(/undefined|\[object Object\]|\bany\b,|\n\n\n/);
});

test('the packed client is served under the name that the documents show, with an ETag', async () => {
  const path = `/docs/${CLIENT_PACKAGE}`;
  const { statusCode, headers, rawPayload } = await app.inject({
    url: path,
    headers: { 'accept-encoding': 'gzip, br' },
  });
  expect(statusCode).toBe(200);
  expect(headers).toMatchObject({ 'content-type': 'application/gzip', 'cache-control': 'public, no-cache' });
  expect(headers).not.toHaveProperty('content-encoding');
  expect(rawPayload).toEqual(readFileSync(join(REPOSITORY, 'sdk/package', CLIENT_PACKAGE)));
  const again = await app.inject({ url: path, headers: { 'if-none-match': String(headers.etag) } });
  expect([again.statusCode, again.rawPayload.length]).toEqual([304, 0]);
  for (const document of [...DOCUMENTS, 'sdk/README.md'])
    for (const [name] of readDocument(document).matchAll(/svc-sdk-[\d.]+\.tgz/g))
      expect(name).toBe(CLIENT_PACKAGE);
});

test('packing the client twice gives the same bytes, so the ETag and the integrity stay the same', async () => {
  const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
  const [first, second] = [packClient(await temporaryDirectory()), packClient(await temporaryDirectory())];
  expect(hashOf(second)).toBe(hashOf(first));
});
