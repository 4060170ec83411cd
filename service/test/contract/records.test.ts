import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure, JSON_TYPE } from '../harness/answers.ts';
import { LISTS } from '../harness/lists.ts';
import { seedRecords } from '../harness/records.ts';
import type { TestService } from '../harness/service.ts';
import { createWorld, seedRow, type World } from '../harness/world.ts';

let world: World;
let service: TestService;
beforeAll(async () => {
  world = await createWorld();
  service = world.service;
});

const get = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  service.request(world.token, url, { headers });

describe.each(LISTS)('one record of $path', (list) => {
  const { id } = seedRow(list, 4);

  test('equals its item in the list', async () => {
    const { data } = (await get(`${list.path}?limit=100`)).json<{ data: readonly { id: string }[] }>();
    const answer = await get(`${list.path}/${id}`);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe(JSON_TYPE);
    expect(answer.json()).toEqual(data.find((item) => item.id === id));
  });

  test('is found by an id that is percent-encoded', async () => {
    const encoded = id.replaceAll('_', '%5F');
    expect((await get(`${list.path}/${encoded}`)).text).toBe((await get(`${list.path}/${id}`)).text);
  });

  test.each([
    'no_such_record',
    'A'.repeat(64),
    'A'.repeat(65),
    'A'.repeat(15_000),
    '',
    '%00',
    '%20',
    '%27%20or%201=1',
    '%2F',
    '%2e%2e%2f',
    '..%2f..',
    '%F0%9F%99%82',
    '%zz',
    '%',
    '%E0%A4%A',
    `${id}%00`,
    `${id}%20`,
    `${id}/`,
    `${id};x=1`,
    '*',
    '__proto__',
  ])('does not exist under %j', async (other) => {
    expectFailure(await get(`${list.path}/${other}`), 'not_found');
  });

  test.each(['limit=1', 'x=', 'cursor=abc', 'id=1&id=1'])('accepts no parameters: %s', async (query) => {
    expectFailure(await get(`${list.path}/${id}?${query}`), 'invalid_parameter');
    expect((await get(`${list.path}/${id}?`)).status).toBe(200);
  });

  test('of another workspace gets the same 404 as one that never existed', async () => {
    const foreign = { ...seedRow(list, 4), id: `${list.resource.idPrefix}_of_neighbour` };
    await seedRecords(service.pool, world.neighbourId, list.resource, [foreign]);
    const url = `${list.path}/${foreign.id}`;
    expect((await service.request(world.neighbourToken, url)).status).toBe(200);
    const refused = await get(url);
    expectFailure(refused, 'not_found');
    expect(refused.text).toBe((await get(`${list.path}/no_such_record`)).text);
  });
});
