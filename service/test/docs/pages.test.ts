import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { readGuides } from '@svc/docs-pages/guides';
import { ERROR_CODES } from '@svc/sdk/contract';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { lanesOver } from '../../src/database/lanes.ts';
import { createPool } from '../../src/database/pool.ts';
import { GUIDE_FILES, REPOSITORY, readDocument } from './documents.ts';

// These pages ask no database, so this pool never connects.
const pool = createPool({
  url: 'postgres://127.0.0.1:1/none',
  max: 1,
  name: 'test',
  onError: () => undefined,
});
const appAt = (publicUrl: string): FastifyInstance =>
  createApp({
    lanes: lanesOver(pool),
    secrets: ['a secret of the tests, 32 characters or more'],
    config: { trustProxy: false, failedAuthPerMinute: 1, publicUrl },
    log: pino({ level: 'silent' }),
  });

const app = appAt('https://svc.example.com');
const below = appAt('https://example.com/svc/');
beforeAll(async () => {
  await Promise.all([app.ready(), below.ready()]);
});
afterAll(async () => {
  await Promise.all([app.close(), below.close()]);
  await pool.end();
});

const guides = readGuides();
const PAGES = ['/docs', ...guides.map(({ name }) => `/docs/${name}`)];

/** What a page loads. */
const filesOf = (html: string): readonly string[] =>
  [...html.matchAll(/(?:src|href)="([^"]*\/docs\/assets\/[^"]+)"/g)].map(([, path = '']) => path);

describe.each(PAGES)('%s', (path) => {
  test('needs no key, is revalidated on each visit, and loads scripts only from files of the service', async () => {
    const { statusCode, headers, body } = await app.inject(path);
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain(`style-src 'self'${path === '/docs' ? " 'unsafe-inline'" : ''};`);
    expect(body).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/);
    expect(body).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });

  test('is not sent again to who has it', async () => {
    const { headers } = await app.inject(path);
    const again = await app.inject({ url: path, headers: { 'if-none-match': String(headers.etag) } });
    expect({ status: again.statusCode, body: again.body }).toEqual({ status: 304, body: '' });
    expect(again.headers).toMatchObject({ etag: headers.etag, vary: 'accept, accept-encoding' });
  });

  test('leads to pages and files that are there', async () => {
    const { body } = await app.inject(path);
    const targets = [...body.matchAll(/(?:src|href)="(\/[^"#]*)(?:#([^"]*))?"/g)];
    expect(targets.length).toBeGreaterThan(0);
    for (const [, target = '', anchor] of targets.filter(([, to]) => to !== '/')) {
      const { statusCode, body: found } = await app.inject(target);
      expect({ target, statusCode }).toEqual({ target, statusCode: 200 });
      if (anchor !== undefined) expect(found).toContain(`id="${anchor}"`);
    }
  });

  test('works below a path of another address', async () => {
    const { body } = await below.inject(path);
    const links = [...body.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, target]) => target);
    for (const link of links) expect(link).toMatch(/^\/svc\//);
    expect(filesOf(body)).toHaveLength(filesOf((await app.inject(path)).body).length);
  });
});

test('files keep for good under a name that changes with them, and come compressed', async () => {
  const { body } = await app.inject('/docs');
  const scalar = filesOf(body).find((path) => path.includes('scalar.'));
  expect(scalar).toMatch(/\/scalar\.[0-9a-f]{12}\.js$/);
  const { headers, rawPayload } = await app.inject({
    url: String(scalar),
    headers: { 'accept-encoding': 'gzip, br' },
  });
  expect(headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'content-encoding': 'br',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
  });
  const text = String(brotliDecompressSync(rawPayload));
  expect(rawPayload.length).toBeLessThan(text.length / 3);
  expect(text).toContain('createApiReference');
});

test.each([
  '/docs/none',
  '/docs/',
  '/docs/assets/docs.css',
  '/docs/assets/docs.000000000000.css',
  '/docs/assets/..%2findex.ts',
  '/docs/assets/constructor.000000000000.js',
])('%s is not found, as everywhere', async (path) => {
  const { statusCode, body } = await app.inject(path);
  expect(statusCode).toBe(404);
  expect(JSON.parse(body)).toMatchObject({ error: { code: 'not_found' } });
});

test('every guide of the repository is served, and is in the index of the documents', () => {
  const served = guides.map(({ url }) => url.pathname.slice(REPOSITORY.length + 1));
  expect(served).toEqual(expect.arrayContaining([...GUIDE_FILES, 'docs/errors.md']));
  const index = readDocument('docs/api.md');
  for (const path of GUIDE_FILES) expect(index).toContain(`(${path.slice('docs/'.length)})`);
});

test('the changelog has each release, and links only to what the service serves', async () => {
  const { body } = await app.inject('/docs/changelog');
  for (const [heading] of readDocument('CHANGELOG.md').matchAll(/(?<=^## )\d+\.\d+\.\d+/gm))
    expect(body).toContain(`>${heading}`);
  expect(body).toContain('<a href="/docs/filters#only-some-fields">');
  expect(body).not.toMatch(/<a href="[^"]*\.md["#]|\((?:how|why)\b/);
});

test('the page of error codes has an anchor for each code of the document', async () => {
  const { body } = await app.inject('/docs/error-codes');
  const ids = [...body.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id);
  expect(ids).toEqual(expect.arrayContaining([...ERROR_CODES]));
  expect(new Set(ids).size).toBe(ids.length);
});

test.each([
  ['https://svc.example.com', '', app],
  ['https://example.com/svc', '/svc', below],
])(
  'search engines are led to every page of the documentation, and to nothing else: %s',
  async (url, base, at) => {
    const robots = await at.inject('/robots.txt');
    expect([robots.statusCode, robots.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(robots.body).toContain(`\nAllow: ${base}/docs\n`);
    expect(robots.body).toContain(`\nDisallow: ${base}/\n`);
    const [address = ''] = /(?<=^Sitemap: ).*$/m.exec(robots.body) ?? [];
    const sitemap = await at.inject(address.slice(url.length));
    expect([sitemap.statusCode, sitemap.headers['content-type']]).toEqual([
      200,
      'application/xml; charset=utf-8',
    ]);
    const locations = [...sitemap.body.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, location = '']) => location);
    expect(locations).toEqual(PAGES.map((path) => url + path));
  },
);

test('looks like the dashboard: the same colours, icon and choice of theme', () => {
  const dashboard = (path: string): string => readFileSync(join(REPOSITORY, 'dashboard', path), 'utf8');
  const own = (name: string): string =>
    readFileSync(join(REPOSITORY, 'packages/docs-pages/assets', name), 'utf8');
  const colours = own('docs.css').match(/--[\w-]+: light-dark\(.*\);/g) ?? [];
  expect(colours.length).toBeGreaterThan(0);
  const tokens = dashboard('src/styles/tokens.css');
  for (const colour of colours) expect(tokens).toContain(colour);
  expect(own('favicon.svg')).toBe(dashboard('public/favicon.svg'));
  // The dashboard's script may do more before the first paint. Both choose the theme in the same way.
  const choice = own('theme.js').match(/^ .*\btheme\b.*;$/gm) ?? [];
  expect(choice.length).toBeGreaterThan(0);
  for (const line of choice) expect(dashboard('index.html')).toContain(line.trim());
});

test.each([
  ['https://svc.example.com', app],
  ['https://example.com/svc', below],
])('the examples of the pages name the address of the service: %s', async (address, at) => {
  const { body } = await at.inject('/docs/quickstart');
  // Highlighted code is in elements of its own.
  const text = body.replace(/<[^>]+>/g, '');
  expect(text).toContain(`export SVC_BASE_URL=${address}\n`);
  for (const { name } of guides) expect((await at.inject(`/docs/${name}`)).body).not.toContain('127.0.0.1');
});
