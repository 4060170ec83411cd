import { PAGE_LIMIT_MAX } from '@svc/sdk/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { changes } from '../../src/resources/index.ts';
import { expectFailure } from '../harness/answers.ts';
import { LISTS, pageOf, urlOf } from '../harness/lists.ts';
import { createWorld, type World } from '../harness/world.ts';

const NOT_MODIFIED = 304;
const EVERY_LIST = [...LISTS, { name: 'changes', path: changes.path, resource: changes, sorts: [] as const }];

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

type Item = Readonly<Record<string, unknown>>;
const get = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  world.service.request(world.token, url, { headers });
/** The chosen fields of an item, and its id, in the order of the item. */
const part = (item: Item, names: readonly string[]): Item =>
  Object.fromEntries(Object.entries(item).filter(([name]) => name === 'id' || names.includes(name)));

describe.each(EVERY_LIST)('fields of $path', ({ path, resource }) => {
  const names = Object.keys(resource.fields);
  const [, second = '', third = ''] = names;
  const sets = [...names.map((name) => [name]), [third, second], [...names].reverse()];

  test('are those that were asked for and the id, in the order of the record, on the same page', async () => {
    for (const direction of ['forward', 'before']) {
      const whole = pageOf(await get(urlOf(path, { limit: 5, direction })));
      for (const set of sets) {
        const answer = await get(urlOf(path, { limit: 5, direction, fields: set.join(',') }));
        expect(answer.status, answer.text).toBe(200);
        const expected = { ...whole, data: whole.data.map((item) => part({ ...item }, set)) };
        expect(JSON.stringify(answer.json())).toBe(JSON.stringify(expected));
      }
    }
  });

  test('may change from page to page with the same cursors', async () => {
    const ids: string[] = [];
    let cursor: string | null | undefined;
    for (let page = 0; cursor !== null; page += 1) {
      const fields = page % 2 === 0 ? second : undefined;
      const answer = pageOf(await get(urlOf(path, { limit: 5, fields, cursor })));
      ids.push(...answer.data.map(({ id }) => id));
      cursor = answer.pagination.nextCursor;
    }
    const all = pageOf(await get(urlOf(path, { limit: PAGE_LIMIT_MAX })));
    expect(ids).toEqual(all.data.map(({ id }) => id));
  });

  test('have an ETag of their own, on a list and on one record', async () => {
    const [item] = pageOf(await get(urlOf(path, { limit: 1 }))).data;
    for (const url of [path, `${path}/${item?.id}`]) {
      const whole = await get(url);
      const partial = await get(`${url}?fields=id`);
      expect(partial.status).toBe(200);
      const etag = String(partial.headers['etag']);
      expect(etag).toMatch(/^W\/"/);
      expect(etag).not.toBe(whole.headers['etag']);
      expect((await get(`${url}?fields=id`, { 'if-none-match': etag })).status).toBe(NOT_MODIFIED);
      expect((await get(url, { 'if-none-match': etag })).status).toBe(200);
      expect((await get(`${url}?fields=id`, { 'if-none-match': String(whole.headers['etag']) })).status).toBe(
        200,
      );
    }
  });

  test('of one record are those that were asked for, and its id', async () => {
    const [item] = pageOf(await get(urlOf(path, { limit: 1 }))).data;
    const whole = (await get(`${path}/${item?.id}`)).json<Item>();
    for (const set of sets) {
      const answer = await get(`${path}/${item?.id}?fields=${set.join(',')}`);
      expect(answer.text).toBe(JSON.stringify(part(whole, set)));
    }
    expectFailure(await get(`${path}/no_such_record?fields=id`), 'not_found');
  });

  test.each([
    '',
    'nope',
    'ID',
    'id,',
    ',id',
    'id, id',
    'id id',
    '__proto__',
    'constructor',
    'createdat',
    '%00',
  ])('are refused if one is unknown, and the refusal names all: %j', async (fields) => {
    const [item] = pageOf(await get(urlOf(path, { limit: 1 }))).data;
    for (const url of [path, `${path}/${item?.id}`])
      expectFailure(await get(`${url}?fields=${fields}`), 'invalid_parameter', '"fields"', names.join(', '));
  });

  test('are refused if one or the parameter is repeated', async () => {
    expectFailure(await get(`${path}?fields=id,${second},id`), 'invalid_parameter', '"id" twice');
    expectFailure(await get(`${path}?fields=id&fields=id`), 'invalid_parameter', '"fields"', 'once');
    expectFailure(await get(`${path}/x?fields=id&fields=id`), 'invalid_parameter', '"fields"', 'once');
  });

  if (!resource.writable) return;
  test('of an export are those that were asked for, and the id', async () => {
    const lines = async (query: string): Promise<readonly Item[]> =>
      (await get(`${path}/export${query}`)).text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
    const whole = await lines('');
    expect(whole.length).toBeGreaterThan(0);
    const chosen = await lines(`?fields=${second}`);
    expect(chosen).toEqual(whole.map((item) => part(item, [second])));
    expectFailure(await get(`${path}/export?fields=x`), 'invalid_parameter', '"fields"', names.join(', '));
  });
});

test('the ETag of a part does not confirm a change of the record', async () => {
  const token = await world.service.token(world.workspaceId, { access: 'write' });
  const change = (etag: unknown) =>
    world.service.request(token, '/v1/companies/com_one', {
      method: 'PATCH',
      headers: { 'if-match': String(etag), 'content-type': 'application/json' },
      payload: '{"name": "Changed"}',
    });
  const partial = await get('/v1/companies/com_one?fields=name');
  expectFailure(await change(partial.headers['etag']), 'precondition_failed');
  const whole = await get('/v1/companies/com_one');
  expect((await change(whole.headers['etag'])).status).toBe(200);
});

test('counts, streams and writes have no fields', async () => {
  for (const url of ['/v1/audits/count', '/v1/changes/stream', '/v1/me'])
    expectFailure(await get(`${url}?fields=id`), 'invalid_parameter');
  const token = await world.service.token(world.workspaceId, { access: 'write' });
  const answer = await world.service.request(token, '/v1/companies?fields=id', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    payload: '{"name": "A"}',
  });
  expectFailure(answer, 'invalid_parameter');
});
