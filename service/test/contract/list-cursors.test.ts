import { CURSOR_LIFETIME_SECONDS } from '@svc/sdk/contract';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { idsOf, LISTS, type ListCase, type Params, pageOf, urlOf } from '../harness/lists.ts';
import { createTestService, TEST_SECRET } from '../harness/service.ts';
import { createWorld, freezeLastUse, type World } from '../harness/world.ts';

const LIMIT = 3;
const LIFETIME_MS = CURSOR_LIFETIME_SECONDS * 1000;
const RESTART = 'Restart the iteration without a cursor';

let world: World;
/** A time without a fraction of a second. */
let start: number;
beforeAll(async () => {
  world = await createWorld();
  start = Math.floor(world.service.clock.now / 1000) * 1000;
});
afterEach(() => {
  world.service.clock.now = start;
});

/** The cursor that loads the second page. */
async function cursorOf(list: Pick<ListCase, 'path'>, params: Params = {}): Promise<string> {
  const { nextCursor } = pageOf(await world.get(list, { ...params, limit: LIMIT })).pagination;
  if (nextCursor === null) throw new Error('there is one page only');
  return nextCursor;
}

describe.each(LISTS)('a cursor of $path', (list) => {
  test.each(list.filters)('is refused when the filter $name is added, removed or changed', async (filter) => {
    const { name, good, other } = filter;
    const plain = await cursorOf(list);
    const filtered = await cursorOf(list, { [name]: good });
    const mismatches: readonly Params[] = [
      { cursor: plain, [name]: good },
      { cursor: filtered },
      { cursor: filtered, [name]: other },
    ];
    for (const params of mismatches) expectFailure(await world.get(list, params), 'cursor_mismatch', RESTART);
    expect((await world.get(list, { cursor: filtered, [name]: good })).status).toBe(200);
  });

  test('is refused with any other sort, and accepted with the default sort as a parameter', async () => {
    for (const issued of list.sorts) {
      const params: Params = list.resource.list.sortable ? { sort: issued } : {};
      const cursor = await cursorOf(list, params);
      for (const sort of list.sorts) {
        const answer = await world.get(list, { ...(list.resource.list.sortable ? { sort } : {}), cursor });
        if (sort === issued) expect(answer.status).toBe(200);
        else expectFailure(answer, 'cursor_mismatch', RESTART);
      }
      if (issued === 'created-descending') expect((await world.get(list, { cursor })).status).toBe(200);
    }
  });

  test('is refused by every other list', async () => {
    const cursor = await cursorOf(list);
    for (const other of LISTS.filter(({ name }) => name !== list.name)) {
      expectFailure(await world.get(other, { cursor }), 'cursor_mismatch', RESTART);
    }
  });

  test.each(['forward', 'before'])('is valid for 24 hours and not a second longer: %s', async (direction) => {
    const { clock } = world.service;
    const cursor = await cursorOf(list);
    for (const age of [0, LIFETIME_MS - 1000, LIFETIME_MS]) {
      clock.now = start + age;
      expect((await world.get(list, { cursor, direction })).status).toBe(200);
    }
    clock.now = start + LIFETIME_MS + 1000;
    expectFailure(await world.get(list, { cursor, direction }), 'cursor_expired', '24 hours', RESTART);
  });

  test('is issued again by each response, so that a long iteration never expires', async () => {
    const { clock } = world.service;
    let cursor = await cursorOf(list);
    for (const _ of [1, 2]) {
      clock.now += LIFETIME_MS;
      const page = pageOf(await world.get(list, { cursor, limit: LIMIT }));
      cursor = page.pagination.nextCursor ?? '';
    }
    expect((await world.get(list, { cursor })).status).toBe(200);
  });

  test('is invalid in another workspace that has items with the same ids', async () => {
    const cursor = await cursorOf(list);
    const answer = await world.service.request(world.neighbourToken, urlOf(list.path, { cursor }));
    expectFailure(answer, 'invalid_cursor', RESTART);
  });

  test('is not bound to the mode of the key', async () => {
    const cursor = await cursorOf(list);
    const live = await world.service.token(world.workspaceId, { mode: 'live' });
    await freezeLastUse(world.service);
    const page = pageOf(await world.service.request(live, urlOf(list.path, { cursor, limit: LIMIT })));
    expect(idsOf(page)).toEqual(idsOf(pageOf(await world.get(list, { cursor, limit: LIMIT }))));
  });

  test('is checked for validity, then for its age, then for its binding', async () => {
    const { clock } = world.service;
    const cursor = await cursorOf(list);
    const other = LISTS.find(({ name }) => name !== list.name);
    if (other === undefined) throw new Error('there is one list only');
    clock.now = start + LIFETIME_MS + 1000;
    expectFailure(await world.get(other, { cursor }), 'cursor_expired');
    expectFailure(await world.get(other, { cursor: `${cursor}A` }), 'invalid_cursor');
    clock.now = start;
    expectFailure(await world.get(other, { cursor }), 'cursor_mismatch');
    expectFailure(await world.get(other, { cursor: cursor.slice(1) }), 'invalid_cursor');
  });

  test('is checked after the other parameters', async () => {
    const cursor = await cursorOf(list);
    expectFailure(await world.get(list, { cursor: `${cursor}A`, limit: 0 }), 'invalid_parameter', '"limit"');
  });

  test.each(['', 'x', 'null', '0', '=', '🙂', 'AQ', "' or 1=1", '\u0000', 'A'.repeat(5000)])(
    'is not %j',
    async (cursor) => {
      expectFailure(await world.get(list, { cursor }), 'invalid_cursor', RESTART);
    },
  );
});

describe('an altered cursor', () => {
  const [list] = LISTS;
  if (list === undefined) throw new Error('there is no list');
  const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

  test('is invalid if any of its characters is replaced by another one', async () => {
    const cursor = await cursorOf(list);
    for (let at = 0; at < cursor.length; at++) {
      const next = BASE64URL[(BASE64URL.indexOf(cursor[at] ?? '') + 1) % BASE64URL.length];
      const altered = cursor.slice(0, at) + next + cursor.slice(at + 1);
      expectFailure(await world.get(list, { cursor: altered }), 'invalid_cursor');
    }
  });

  test('is invalid if it is cut anywhere, at either end', async () => {
    const cursor = await cursorOf(list);
    for (let at = 1; at < cursor.length; at++) {
      expectFailure(await world.get(list, { cursor: cursor.slice(0, at) }), 'invalid_cursor');
      expectFailure(await world.get(list, { cursor: cursor.slice(at) }), 'invalid_cursor');
    }
  });

  test.each(['=', '%20', '%0A', 'A', '%'])('is invalid with %j appended', async (more) => {
    const cursor = await cursorOf(list);
    const answer = await world.service.request(world.token, `${list.path}?cursor=${cursor}${more}`);
    expectFailure(answer, 'invalid_cursor');
  });

  test('does not show its content', async () => {
    const page = pageOf(await world.get(list, { limit: LIMIT }));
    const bytes = Buffer.from(page.pagination.nextCursor ?? '', 'base64url').toString('latin1');
    for (const secret of [...idsOf(page), '2026', list.name, 'created', world.workspaceId]) {
      expect(bytes).not.toContain(secret);
    }
  });
});

describe("the deployment's secrets", () => {
  const OLD = TEST_SECRET;
  const NEW = 'a newer secret of the tests, 32 characters or more';
  const [list] = LISTS;
  if (list === undefined) throw new Error('there is no list');

  test('cursors and keys of the old secret work while it is listed, and stop when it is removed', async () => {
    const { database, clock } = world.service;
    const both = await createTestService({ database, clock, secrets: [NEW, OLD] });
    const newOnly = await createTestService({ database, clock, secrets: [NEW] });
    const used = await world.service.token(world.workspaceId, { mode: 'test' });
    const unused = await world.service.token(world.workspaceId, { mode: 'test' });
    const oldCursor = await cursorOf(list);
    expectFailure(await newOnly.request(used, list.path), 'invalid_key');

    const second = pageOf(await both.request(used, urlOf(list.path, { cursor: oldCursor, limit: LIMIT })));
    expect(second.data).toEqual(pageOf(await world.get(list, { cursor: oldCursor, limit: LIMIT })).data);
    const newCursor = second.pagination.nextCursor ?? '';

    // With both secrets, the first use of a key moves it to the new one, for which the request does not wait. A key that was
    // not used no longer works.
    const withNew = () => newOnly.request(used, urlOf(list.path, { cursor: newCursor }));
    await expect.poll(async () => (await withNew()).status).toBe(200);
    expectFailure(await newOnly.request(used, urlOf(list.path, { cursor: oldCursor })), 'invalid_cursor');
    expectFailure(await newOnly.request(unused, list.path), 'invalid_key');
    expectFailure(
      await world.service.request(world.token, urlOf(list.path, { cursor: newCursor })),
      'invalid_cursor',
    );
  });
});
