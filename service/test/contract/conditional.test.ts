import { beforeAll, describe, expect, test } from 'vitest';
import { ETAG_LIFETIME_SECONDS } from '../../src/config/limits.ts';
import { COMPANY, LISTS, pageOf, urlOf } from '../harness/lists.ts';
import { resourceNamed, seedRecords } from '../harness/records.ts';
import {
  createTestService,
  TEST_ACTOR,
  TEST_SECRET,
  type TestAnswer,
  type TestService,
} from '../harness/service.ts';
import { createWorld, freezeLastUse, seedRow, type World } from '../harness/world.ts';

const NOT_MODIFIED = 304;
const TAG_MS = ETAG_LIFETIME_SECONDS * 1000;
const HOUR_MS = 3_600_000;
/** The next time at which the ETags of pages change. */
const startOfTagTime = (nowMs: number): number => Math.ceil(nowMs / TAG_MS) * TAG_MS;

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

describe.each(LISTS)('the ETag of $path', (list) => {
  const ask = (etag?: string, url = urlOf(list.path, { limit: 5 }), token = world.token) =>
    world.service.request(token, url, etag === undefined ? {} : { headers: { 'if-none-match': etag } });
  const etagOf = async (...args: Parameters<typeof ask>) => String((await ask(...args)).headers['etag']);

  test('is weak and gets 304 without a body, in any form of If-None-Match', async () => {
    const etag = await etagOf();
    expect(etag).toMatch(/^W\/"[\w-]{20,}"$/);
    const forms = [etag, etag.replace('W/', ''), `"other", ${etag}`, `${etag},W/"other"`, '*'];
    for (const form of forms) {
      const answer = await ask(form);
      expect({ form, status: answer.status, text: answer.text }).toEqual({
        form,
        status: NOT_MODIFIED,
        text: '',
      });
      expect(answer.headers['etag']).toBe(etag);
      expect(answer.headers['request-id']).toBeDefined();
    }
    for (const form of ['"other"', 'W/"other"', '', etag.slice(0, -2), etag.replaceAll('"', '')]) {
      expect((await ask(form)).status).toBe(200);
    }
  });

  test('stays the same while the cursors on the page change every second', async () => {
    const { clock } = world.service;
    clock.now = startOfTagTime(clock.now);
    const before = await ask();
    clock.now += 60_000;
    const after = await ask();
    expect(after.text).not.toBe(before.text);
    expect(after.headers['etag']).toBe(before.headers['etag']);
    expect((await ask(String(before.headers['etag']))).status).toBe(NOT_MODIFIED);
  });

  test('is the same for another key of the workspace, and differs in another workspace', async () => {
    const other = await world.service.token(world.workspaceId, { mode: 'test' });
    await freezeLastUse(world.service);
    // After the newest items, where both workspaces have the same ones.
    const url = urlOf(list.path, { limit: 5, direction: 'before' });
    const etag = await etagOf(undefined, url);
    expect(await etagOf(undefined, url, other)).toBe(etag);
    const mine = pageOf(await ask(undefined, url)).data;
    const neighbours = pageOf(await ask(undefined, url, world.neighbourToken)).data;
    expect(neighbours).toEqual(mine);
    expect(await etagOf(undefined, url, world.neighbourToken)).not.toBe(etag);
  });

  test('changes with an item, and when the last page is no longer the last one', async () => {
    const all = urlOf(list.path, { limit: 100 });
    const etag = await etagOf(undefined, all);
    const lastPage = urlOf(list.path, {
      limit: 5,
      cursor:
        pageOf(await ask(undefined, urlOf(list.path, { limit: 5, direction: 'before' }))).pagination
          .startCursor ?? '',
    });
    const lastEtag = await etagOf(undefined, lastPage);
    await seedRecords(world.service.pool, world.workspaceId, list.resource, [
      { ...seedRow(list, 900), createdAt: '2020-01-01T00:00:00Z' },
    ]);
    expect((await ask(etag, all)).status).toBe(200);
    expect(await etagOf(undefined, all)).not.toBe(etag);
    expect(pageOf(await ask(undefined, lastPage)).pagination.hasMore).toBe(true);
    expect(await etagOf(undefined, lastPage)).not.toBe(lastEtag);
  });
});

/** A client that stores each page by its URL and checks whether it is current, like an HTTP cache (RFC 9111). */
function cachingClient(): (service: TestService, token: string, url: string) => Promise<TestAnswer> {
  const kept = new Map<string, TestAnswer>();
  return async (service, token, url) => {
    const stored = kept.get(url);
    const headers = stored === undefined ? {} : { 'if-none-match': String(stored.headers['etag']) };
    const answer = await service.request(token, url, { headers });
    if (answer.status === NOT_MODIFIED && stored !== undefined) return stored;
    if (answer.status === 200) kept.set(url, answer);
    return answer;
  };
}

describe.each(LISTS)('a page of $path that a cache stores and a 304 declares current', (list) => {
  const url = urlOf(list.path, { limit: 5 });
  /** Continues from a page in both directions, with each of its cursors. */
  const goOn = async (service: TestService, token: string, answer: TestAnswer): Promise<void> => {
    const { nextCursor, startCursor, endCursor } = pageOf(answer).pagination;
    for (const cursor of [nextCursor, startCursor, endCursor]) {
      if (typeof cursor !== 'string') continue;
      const next = await service.request(token, urlOf(list.path, { limit: 5, cursor }));
      expect(next.status, next.text).toBe(200);
    }
  };

  test('has cursors that work, also if it was stored long ago', async () => {
    const { clock } = world.service;
    const begin = clock.now;
    const fetchCached = cachingClient();
    for (const hours of [0, 1, 11.9, 12.1, 23.9, 24.1, 25, 47, 49, 73.5, 97]) {
      clock.now = begin + hours * HOUR_MS;
      await goOn(world.service, world.token, await fetchCached(world.service, world.token, url));
    }
    clock.now = begin;
  });

  test('has cursors that work for the requesting key, also if it was stored for another key of the workspace', async () => {
    if (list.resource.company === null) return;
    const { service } = world;
    const workspaceId = await service.workspace();
    // All keys see the same oldest items, because these belong to one company.
    const { createdAt } = seedRow(list, 0);
    await seedRecords(service.pool, workspaceId, resourceNamed('companies'), [{ id: COMPANY, createdAt }]);
    const rows = [0, 1, 2, 3].map((index) => ({ ...seedRow(list, index), companyId: COMPANY }));
    if (list.name !== 'companies') await seedRecords(service.pool, workspaceId, list.resource, rows);
    const limits = [null, COMPANY, null];
    const tokens = await Promise.all(
      limits.map((companyId) => service.token(workspaceId, { mode: 'test', companyId })),
    );
    await freezeLastUse(service);
    const fetchCached = cachingClient();
    const oldest = urlOf(list.path, { limit: 3, direction: 'before' });
    const pages = [];
    for (const token of tokens) {
      const answer = await fetchCached(service, token, oldest);
      pages.push(pageOf(answer).data);
      await goOn(service, token, answer);
    }
    expect(pages[1]).toEqual(pages[0]);
  });

  test('has cursors that work after the secrets were rotated, at every step', async () => {
    const { database, clock } = world.service;
    const fetchCached = cachingClient();
    const NEWER = 'a newer secret of the tests, 32 characters or more';
    for (const secrets of [[TEST_SECRET], [NEWER, TEST_SECRET], [NEWER]] as const) {
      const node = await createTestService({ database, clock, secrets });
      const token = await node.token(world.workspaceId, { mode: 'test' });
      await freezeLastUse(node);
      await goOn(node, token, await fetchCached(node, token, url));
    }
  });
});

test('caches store the responses to different keys separately', async () => {
  for (const { path } of LISTS)
    expect((await world.service.request(world.token, path)).headers['vary']).toBe(
      'authorization, accept-encoding',
    );
});

test('caches store a refusal that replaces the response to a key separately', async () => {
  const { service } = world;
  const workspaceId = await service.workspace();
  const { keyId, token: revoked } = await service.issue(workspaceId);
  const limited = await service.token(workspaceId);
  for (const token of [revoked, limited])
    expect((await service.request(token, '/v1/companies')).status).toBe(200);
  await service.keys.revoke(workspaceId, keyId, TEST_ACTOR);
  await service.pool.query('update live_meters set live_quota = 0 where workspace_id = $1', [workspaceId]);
  // The service finds out when it writes the audit entry, after the list was read.
  for (const [token, status] of [[revoked, 401] as const, [limited, 429] as const]) {
    const answer = await service.request(token, '/v1/companies');
    expect([answer.status, answer.headers['vary']]).toEqual([status, 'authorization']);
  }
});

describe.each(LISTS)('the ETag of one record of $path', (list) => {
  test('is strong, gets 304, and changes with the record', async () => {
    const { id } = seedRow(list, 3);
    const url = `${list.path}/${id}`;
    const ask = (etag?: string) =>
      world.service.request(
        world.token,
        url,
        etag === undefined ? {} : { headers: { 'if-none-match': etag } },
      );
    const etag = String((await ask()).headers['etag']);
    expect(etag).toMatch(/^"[\w-]{20,}"$/);
    expect((await ask(etag)).status).toBe(NOT_MODIFIED);
    if (list.name === 'api-keys') {
      await world.service.pool.query(`update api_keys set name = 'renamed' where id = $1`, [id]);
    } else {
      // The entries of the log are a view.
      const table = list.name === 'audit-log' ? 'audit_log' : list.resource.list.relation;
      await world.service.pool.query(
        `update ${table} set doc = replace(doc, '"id"', '"id" ') where id = $1`,
        [id],
      );
    }
    expect((await ask(etag)).status).toBe(200);
    expect((await ask()).headers['etag']).not.toBe(etag);
  });
});
