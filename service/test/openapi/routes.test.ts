import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { openApiDocument } from '@svc/openapi';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { lanesOver } from '../../src/database/lanes.ts';
import { createPool } from '../../src/database/pool.ts';

const PUBLIC_URL = 'https://svc.example.com';
const CREATED = 'fastify.initialization';

const routes: Pick<RouteOptions, 'method' | 'url'>[] = [];
/** Records the routes of the application when they are registered. */
const watch = (message: unknown): void => {
  const { fastify } = message as { readonly fastify: FastifyInstance };
  fastify.addHook('onRoute', ({ method, url }) => void routes.push({ method, url }));
};

// These routes do not use the database, so this pool never connects.
const pool = createPool({
  url: 'postgres://127.0.0.1:1/none',
  max: 1,
  name: 'test',
  onError: () => undefined,
});
let app: FastifyInstance;

beforeAll(async () => {
  subscribe(CREATED, watch);
  app = createApp({
    lanes: lanesOver(pool),
    secrets: ['a secret of the tests, 32 characters or more'],
    config: { trustProxy: false, failedAuthPerMinute: 1, publicUrl: PUBLIC_URL },
    log: pino({ level: 'silent' }),
  });
  await app.ready();
  unsubscribe(CREATED, watch);
});

afterAll(async () => {
  await app.close();
  await pool.end();
});

test('the document has every operation below /v1, and no other', () => {
  // Routes that only refuse a method are registered with a list of methods.
  const registered = routes.flatMap(({ method, url }) =>
    url.startsWith('/v1') && typeof method === 'string' && method !== 'HEAD'
      ? [`${method} ${url.replace(/:(\w+)/g, '{$1}')}`]
      : [],
  );
  const { paths } = openApiDocument({ publicUrl: PUBLIC_URL, version: '0' });
  const documented = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(registered).not.toEqual([]);
  expect(documented.sort()).toEqual(registered.sort());
});

test('/openapi.json returns the document without a key, with an ETag for 304', async () => {
  const first = await app.inject({ url: '/openapi.json' });
  expect(first.statusCode).toBe(200);
  expect(first.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'public, no-cache',
    etag: expect.stringMatching(/^W\/"[\w-]+"$/),
    vary: 'accept-encoding',
  });
  const { info } = first.json<{ info: { version: string } }>();
  expect(first.json()).toEqual(openApiDocument({ publicUrl: PUBLIC_URL, version: info.version }));

  for (const encoding of ['identity', 'br']) {
    const again = await app.inject({
      url: '/openapi.json',
      headers: { 'if-none-match': String(first.headers.etag), 'accept-encoding': encoding },
    });
    expect({ status: again.statusCode, body: again.body }).toEqual({ status: 304, body: '' });
    expect(again.headers).toMatchObject({ etag: first.headers.etag, vary: 'accept-encoding' });
    expect(again.headers).not.toHaveProperty('content-encoding');
  }
});

test.each([
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
] as const)(
  '/openapi.json is sent in %s to a client that accepts it, in an eighth of its size',
  async (encoding, decompress) => {
    const plain = await app.inject({ url: '/openapi.json' });
    const { headers, rawPayload } = await app.inject({
      url: '/openapi.json',
      headers: { 'accept-encoding': encoding },
    });
    expect(headers).toMatchObject({
      'content-encoding': encoding,
      vary: 'accept-encoding',
      etag: plain.headers.etag,
    });
    expect(rawPayload.length).toBeLessThan(plain.rawPayload.length / 8);
    expect(String(decompress(rawPayload))).toBe(plain.body);
  },
);
