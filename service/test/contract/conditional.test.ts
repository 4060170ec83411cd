import { beforeAll, describe, expect, test } from 'vitest';
import { LISTS, pageOf, urlOf } from '../harness/lists.ts';
import { seedRecords } from '../harness/records.ts';
import { createWorld, freezeLastUse, seedRow, type World } from '../harness/world.ts';

const NOT_MODIFIED = 304;

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

describe.each(LISTS)('the ETag of $path', (list) => {
  const ask = (etag?: string, url = urlOf(list.path, { limit: 5 }), token = world.token) =>
    world.service.request(token, url, etag === undefined ? {} : { headers: { 'if-none-match': etag } });
  const etagOf = async (...args: Parameters<typeof ask>) => String((await ask(...args)).headers['etag']);

  test('is weak and answered with 304 without a body, in any form that If-None-Match may have', async () => {
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

  test('stays the same while the cursors on the page change with the second', async () => {
    const { clock } = world.service;
    const before = await ask();
    clock.now += 60_000;
    const after = await ask();
    expect(after.text).not.toBe(before.text);
    expect(after.headers['etag']).toBe(before.headers['etag']);
    expect((await ask(String(before.headers['etag']))).status).toBe(NOT_MODIFIED);
  });

  test('is the same for another key of the workspace, and another in another workspace', async () => {
    const other = await world.service.token(world.workspaceId, { mode: 'test' });
    await freezeLastUse(world.service);
    // Below the newest items, where both workspaces have the same ones.
    const url = urlOf(list.path, { limit: 5, direction: 'before' });
    const etag = await etagOf(undefined, url);
    expect(await etagOf(undefined, url, other)).toBe(etag);
    const mine = pageOf(await ask(undefined, url)).data;
    const neighbours = pageOf(await ask(undefined, url, world.neighbourToken)).data;
    expect(neighbours).toEqual(mine);
    expect(await etagOf(undefined, url, world.neighbourToken)).not.toBe(etag);
  });

  test('changes with an item, and when the last page stops being the last', async () => {
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

describe.each(LISTS)('the ETag of one record of $path', (list) => {
  test('is strong, answered with 304, and changes with the record', async () => {
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
      const table = list.resource.list.relation;
      await world.service.pool.query(
        `update ${table} set doc = replace(doc, '"id"', '"id" ') where id = $1`,
        [id],
      );
    }
    expect((await ask(etag)).status).toBe(200);
    expect((await ask()).headers['etag']).not.toBe(etag);
  });
});
