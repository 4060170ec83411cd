import { request as httpRequest } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { Svc, SvcQuotaExceededError } from '@svc/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { newRequestEntries } from '../harness/entries.ts';
import { COMPANY, LISTS, OTHER_COMPANY } from '../harness/lists.ts';
import { seedRecords } from '../harness/records.ts';
import { createTestService, TEST_ACTOR, type TestService } from '../harness/service.ts';
import { listen } from '../harness/socket.ts';
import { createWorld, seedRow } from '../harness/world.ts';

const RECORDS = 450;
const audits = LISTS.find(({ name }) => name === 'audits') ?? raise();

let service: TestService;
let workspaceId: string;
let token: string;
let baseUrl: string;
beforeAll(async () => {
  const world = await createWorld();
  ({ service, workspaceId } = world);
  const rows = Array.from({ length: RECORDS }, (_, i) => seedRow(audits, 1_000 + i));
  await seedRecords(service.pool, workspaceId, audits.resource, rows);
  token = await service.token(workspaceId);
  baseUrl = await listen(service);
});

const get = (path: string, headers: Readonly<Record<string, string>> = {}, of = token) =>
  service.request(of, path, { headers });
const linesOf = (text: string): readonly { readonly id: string; readonly companyId: string }[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
/** The ids of a list, oldest first. */
async function ids(name: string, where = 'true'): Promise<readonly string[]> {
  const { rows } = await service.pool.query<{ id: string }>(
    `select id from ${name} where workspace_id = $1 and ${where} order by created_at, id`,
    [workspaceId],
  );
  return rows.map(({ id }) => id);
}
const used = async (): Promise<number> => {
  const { rows } = await service.pool.query<{ n: number }>(
    'select live_requests::int as n from live_meters where workspace_id = $1',
    [workspaceId],
  );
  return rows[0]?.n ?? 0;
};
const setQuota = (quota: number | null) =>
  service.pool.query('update live_meters set live_quota = $2 where workspace_id = $1', [workspaceId, quota]);

describe('an export', () => {
  test.each(['audits', 'mentions', 'content', 'companies'])(
    'of %s has every record once, oldest first',
    async (name) => {
      const answer = await get(`/v1/${name}/export`);
      expect(answer.headers).toMatchObject({
        'content-type': 'application/x-ndjson; charset=utf-8',
        vary: 'authorization, accept-encoding',
        'x-accel-buffering': 'no',
      });
      const lines = linesOf(answer.text);
      expect(lines.map(({ id }) => id)).toEqual(await ids(name));
      const [first] = lines;
      expect(first).toEqual((await get(`/v1/${name}/${first?.id}`)).json());
    },
  );

  test('is compressed if the client accepts gzip', async () => {
    const plain = await get('/v1/audits/export');
    const inject = (encoding: string) =>
      service.app.inject({
        url: '/v1/audits/export',
        headers: { authorization: `Bearer ${token}`, 'accept-encoding': encoding },
      });
    for (const encoding of ['gzip', 'br, gzip;q=0.5', '*']) {
      const { headers, rawPayload } = await inject(encoding);
      expect(headers['content-encoding']).toBe('gzip');
      expect(gunzipSync(rawPayload).toString()).toBe(plain.text);
    }
    for (const encoding of ['identity', 'gzip;q=0', 'br']) {
      const { headers, payload } = await inject(encoding);
      expect(headers).not.toHaveProperty('content-encoding');
      expect(payload).toBe(plain.text);
    }
  });

  test('is one entry, and uses a unit of quota per 100 records', async () => {
    const before = await used();
    const entries = await newRequestEntries(service.pool, workspaceId, () => get('/v1/audits/export'));
    expect(entries).toMatchObject([{ path: '/v1/audits/export', status: 200 }]);
    expect((await used()) - before).toBe(Math.ceil((await ids('audits')).length / 100));
  });

  test('has the filters of the list, and refuses other parameters', async () => {
    const answer = await get(`/v1/audits/export?companyId=${COMPANY}`);
    expect(linesOf(answer.text).map(({ id }) => id)).toEqual(
      await ids('audits', `company_id = '${COMPANY}'`),
    );
    for (const query of ['limit=5', 'cursor=x', 'sort=created-ascending', 'headlineScoreMin=5', 'x=1'])
      expectFailure(await get(`/v1/audits/export?${query}`), 'invalid_parameter', 'Allowed: companyId');
    expectFailure(await get('/v1/content/export?status=none'), 'invalid_parameter', 'one of draft');
  });

  test('with a key of one company has only its records', async () => {
    const own = await service.token(workspaceId, { companyId: COMPANY });
    const { text } = await get('/v1/audits/export', {}, own);
    expect(new Set(linesOf(text).map(({ companyId }) => companyId))).toEqual(new Set([COMPANY]));
    expectFailure(await get(`/v1/audits/export?companyId=${OTHER_COMPANY}`, {}, own), 'insufficient_scope');
  });

  test('with a test key uses no quota and has no entry', async () => {
    const sandbox = await service.token(workspaceId, { mode: 'test' });
    const before = await used();
    const entries = await newRequestEntries(service.pool, workspaceId, () =>
      get('/v1/audits/export', {}, sandbox),
    );
    expect([entries, (await used()) - before]).toEqual([[], 0]);
  });

  test('answers HEAD without reading', async () => {
    const before = await used();
    const { status, headers } = await service.request(token, '/v1/audits/export', { method: 'HEAD' });
    expect([status, headers['content-type'], (await used()) - before]).toEqual([
      200,
      'application/x-ndjson; charset=utf-8',
      1,
    ]);
  });

  test('by the client yields every record', async () => {
    const found: string[] = [];
    for await (const { id } of new Svc({ baseUrl, apiKey: token }).audits.export()) found.push(id);
    expect(found).toEqual(await ids('audits'));
  });
});

/**
 * Sends a raw request, and reads nothing of the response before `next`, which reads all of it and waits for
 * `betweenChunks` after each part.
 */
function open(
  path: string,
  of = token,
  betweenChunks: () => Promise<unknown> = async () => undefined,
): Promise<{ readonly next: () => Promise<string>; readonly close: () => void; readonly status: number }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      `${baseUrl}${path}`,
      { headers: { authorization: `Bearer ${of}` } },
      (response) => {
        resolve({
          status: response.statusCode ?? 0,
          next: async () => {
            let text = '';
            response.setEncoding('utf8');
            try {
              for await (const chunk of response) {
                text += chunk;
                await betweenChunks();
              }
            } catch {
              return `${text}<broken>`;
            }
            return text;
          },
          close: () => sent.destroy(),
        });
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

describe('an export that ends early', () => {
  test('because the quota is used up, has the paid records and the error as its last line', async () => {
    const before = await used();
    await setQuota(before + 3);
    const text = await (await open('/v1/audits/export')).next();
    const lines = text.split('\n');
    expect(lines.at(-1)).toBe('');
    expect(JSON.parse(lines.at(-2) ?? '')).toMatchObject({ error: { code: 'quota_exceeded' } });
    expect(lines).toHaveLength(302);
    await setQuota(before + 6);
    const found: string[] = [];
    const iterate = async () => {
      for await (const { id } of new Svc({ baseUrl, apiKey: token }).audits.export()) found.push(id);
    };
    await expect(iterate()).rejects.toThrow(SvcQuotaExceededError);
    expect(found).toHaveLength(300);
    await setQuota(null);
  });
});

test('a fourth export of a workspace is refused, and allowed once another one ends', async () => {
  // Enough that the service waits for the client.
  const rows = Array.from({ length: 3_000 }, (_, i) => ({
    ...seedRow(LISTS.find(({ name }) => name === 'mentions') ?? raise(), 5_000 + i),
    excerpt: 'x'.repeat(4_000),
  }));
  const mentions = LISTS.find(({ name }) => name === 'mentions') ?? raise();
  await seedRecords(service.pool, workspaceId, mentions.resource, rows);
  const running = await Promise.all([1, 2, 3].map(() => open('/v1/mentions/export')));
  expectFailure(await get('/v1/mentions/export'), 'rate_limited', 'At most 3 exports');
  const other = await createTestService({ database: service.database });
  expect((await other.request(token, '/v1/companies/export')).status).toBe(200);
  for (const each of running) each.close();
  await expect.poll(async () => (await get('/v1/companies/export')).status).toBe(200);
});

test('an export whose key is revoked ends, with the error as its last line', async () => {
  const { keyId, token: other } = await service.issue(workspaceId);
  const running = await open('/v1/mentions/export', other);
  await service.keys.revoke(workspaceId, keyId, TEST_ACTOR);
  const lines = (await running.next()).split('\n');
  expect(JSON.parse(lines.at(-2) ?? '')).toMatchObject({ error: { code: 'invalid_key' } });
  expect(lines.length).toBeLessThan(3_000);
});

test('an export that a fault of the service ends has as its last line the Request-Id that is logged', async () => {
  await service.pool.query('alter table content rename column doc to moved');
  const { headers, text } = await get('/v1/content/export');
  await service.pool.query('alter table content rename column moved to doc');
  const id = String(headers['request-id']);
  expect(JSON.parse(text)).toMatchObject({
    error: { code: 'internal_error', message: expect.stringContaining(`Request-Id: ${id}`) },
  });
  const logged = service.log.filter((line) => line.includes('request failed'));
  expect(logged).toEqual([expect.stringContaining(id)]);
});

test.each(['live', 'test'] as const)('an export whose %s key expires ends with the error', async (mode) => {
  const expiresAt = new Date(Date.now() + 1_500).toISOString();
  const { token: other } = await service.issue(workspaceId, { mode, expiresAt });
  const sandbox = await service.token(workspaceId, { mode: 'test' });
  // The check of the key asks the database. The export does not run ahead of the answer.
  const running = await open('/v1/mentions/export', other, () => get('/v1/companies?limit=1', {}, sandbox));
  expect((await get('/v1/changes?after=now&wait=30', {}, other)).status).toBe(401);
  const lines = (await running.next()).split('\n');
  expect(JSON.parse(lines.at(-2) ?? '')).toMatchObject({ error: { code: 'invalid_key' } });
  expect(lines.length).toBeLessThan(3_000);
});

function raise(): never {
  throw new Error('there is no such list');
}
