import { type IncomingMessage, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { LISTS } from '../harness/lists.ts';
import { seedRecords } from '../harness/records.ts';
import { listen } from '../harness/socket.ts';
import { createWorld, seedRow, type World } from '../harness/world.ts';

const RECORDS = 100;
const DECODERS = { br: brotliDecompressSync, gzip: gunzipSync } as const;

let world: World;
let baseUrl: string;
beforeAll(async () => {
  world = await createWorld();
  for (const list of LISTS) {
    const rows = Array.from({ length: RECORDS }, (_, i) => seedRow(list, 1_000 + i));
    await seedRecords(world.service.pool, world.workspaceId, list.resource, rows);
  }
  baseUrl = await listen(world.service);
});

interface Raw {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** The response as it is on the wire. */
async function ask(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Raw> {
  const { promise, resolve, reject } = Promise.withResolvers<Raw>();
  const authorization = `Bearer ${world.token}`;
  request(`${baseUrl}${path}`, { method, headers: { authorization, ...headers } }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', reject);
    response.on('end', () =>
      resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
    );
  })
    .on('error', reject)
    .end();
  return promise;
}

describe.each(LISTS)('a page of $path', ({ path }) => {
  const url = `${path}?limit=100`;

  test.each(['br', 'gzip'] as const)('is sent in %s, smaller, with the same ETag', async (encoding) => {
    const plain = await ask(url);
    expect(plain.headers).toMatchObject({ vary: 'authorization, accept-encoding' });
    expect(plain.headers['content-encoding']).toBeUndefined();
    const sent = await ask(url, { 'accept-encoding': `${encoding}, deflate` });
    expect(sent.status).toBe(200);
    expect(sent.headers).toMatchObject({
      'content-encoding': encoding,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(sent.body.length),
      vary: 'authorization, accept-encoding',
      etag: plain.headers.etag,
    });
    expect(sent.headers['accept-ranges']).toBeUndefined();
    expect(sent.body.length).toBeLessThan(plain.body.length / 2);
    expect(JSON.parse(String(DECODERS[encoding](sent.body)))).toEqual(JSON.parse(String(plain.body)));
  });

  test('is not modified in any encoding', async () => {
    const { etag = '' } = (await ask(url, { 'accept-encoding': 'br' })).headers;
    for (const encoding of ['br', 'gzip', 'identity']) {
      const { status, headers, body } = await ask(url, {
        'if-none-match': etag,
        'accept-encoding': encoding,
      });
      expect({ status, length: body.length }).toEqual({ status: 304, length: 0 });
      expect(headers).toMatchObject({ vary: 'authorization, accept-encoding', etag });
      expect(headers['content-encoding']).toBeUndefined();
    }
  });

  test('has the same headers with HEAD, and no body', async () => {
    const accepts = { 'accept-encoding': 'gzip' };
    const [got, head] = [await ask(url, accepts), await ask(url, accepts, 'HEAD')];
    expect(head.body.length).toBe(0);
    for (const name of ['content-encoding', 'content-type', 'content-length', 'etag', 'vary'])
      expect(head.headers[name]).toBe(got.headers[name]);
  });
});

test.each(['', 'identity', 'zstd', 'br;q=0, gzip;q=0.0', 'identity, br;q=0.5'])(
  'a page is sent as it is to a client that accepts %j',
  async (accepted) => {
    const { headers, body } = await ask('/v1/mentions?limit=100', { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(String(body)).data).toHaveLength(100);
  },
);

test('a small page is compressed only for a client that refuses it as it is', async () => {
  const small = '/v1/audits?limit=1';
  expect((await ask(small, { 'accept-encoding': 'br' })).headers['content-encoding']).toBeUndefined();
  const refused = await ask(small, { 'accept-encoding': 'br, identity;q=0' });
  expect(refused.headers['content-encoding']).toBe('br');
});

test('a page of changes is compressed; single records, counts, errors and writes are not', async () => {
  const accepts = { 'accept-encoding': 'br, identity;q=0' };
  expect((await ask('/v1/changes?limit=1', accepts)).headers['content-encoding']).toBe('br');
  const [{ id } = { id: '' }]: readonly { readonly id: string }[] = JSON.parse(
    String((await ask('/v1/mentions?limit=1')).body),
  ).data;
  for (const path of [
    `/v1/mentions/${id}`,
    '/v1/audits/count',
    '/v1/me',
    '/v1/mentions?limit=0',
    '/v1/nothing',
  ]) {
    const { headers, body } = await ask(path, accepts);
    expect(headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(String(body))).toBeDefined();
  }
});
