import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import {
  bigQuery,
  COMPANY,
  type Envelope,
  LISTS,
  OTHER_COMPANY,
  type Params,
  pageOf,
  urlOf,
  walk,
} from '../harness/lists.ts';
import { createWorld, freezeLastUse, seedRow, type World } from '../harness/world.ts';

let world: World;
/** Tokens of a key that is limited to a company. */
let limited: string;
let otherLimited: string;
beforeAll(async () => {
  world = await createWorld();
  limited = await world.service.token(world.workspaceId, { mode: 'test', companyId: COMPANY });
  otherLimited = await world.service.token(world.workspaceId, { mode: 'test', companyId: OTHER_COMPANY });
  await freezeLastUse(world.service);
});

const idsOfAll = (pages: readonly Envelope[]) => pages.flatMap(({ data }) => data.map(({ id }) => id));

describe.each(LISTS.filter(({ resource }) => resource.company !== null))(
  'a key that is limited to a company, on $path',
  (list) => {
    const ask = (params: Params = {}, token = limited) =>
      world.service.request(token, urlOf(list.path, params));
    const column = list.resource.list.companyColumn ?? '';

    test('sees exactly the records of its company, in every order and direction', async () => {
      for (const sort of list.sorts) {
        const all = await bigQuery(world.service.pool, world.workspaceId, list, {
          sort,
          equal: { [column]: COMPANY },
        });
        expect(all.length).toBeGreaterThan(0);
        const params = { limit: 2, ...(list.resource.list.sortable ? { sort } : {}) };
        expect(idsOfAll(await walk(ask, params))).toEqual(all);
        const back = await walk(ask, { ...params, direction: 'before' });
        expect(idsOfAll(back.toReversed())).toEqual(all);
      }
    });

    test('cannot use the cursor of a key without this limit or with another limit', async () => {
      const plain = pageOf(await world.get(list, { limit: 2 })).pagination.endCursor ?? '';
      const own = pageOf(await ask({ limit: 2 })).pagination.endCursor ?? '';
      expectFailure(await ask({ cursor: plain }), 'cursor_mismatch');
      expectFailure(await ask({ cursor: own }, otherLimited), 'cursor_mismatch');
      expectFailure(await world.get(list, { cursor: own }), 'cursor_mismatch');
    });

    test('reads a single record of its company, and gets 404 for others', async () => {
      const ids = async (equal: Readonly<Record<string, string>>) =>
        bigQuery(world.service.pool, world.workspaceId, list, { equal });
      const [mine] = await ids({ [column]: COMPANY });
      const all = await ids({});
      const others = all.filter((id) => id !== mine);
      const other = others.find((id) => list.name !== 'companies' || id === OTHER_COMPANY);
      const foreign = (await ids({ [column]: OTHER_COMPANY }))[0] ?? other;
      expect((await ask({}, limited)).status).toBe(200);
      expect((await world.service.request(limited, `${list.path}/${mine}`)).status).toBe(200);
      const refused = await world.service.request(limited, `${list.path}/${foreign}`);
      expectFailure(refused, 'not_found');
      const missing = await world.service.request(limited, `${list.path}/no_such_record`);
      expect(refused.text).toBe(missing.text);
    });

    if (!list.filters.some(({ name }) => name === 'companyId')) return;
    test('can filter by its own company, and not by another one', async () => {
      const own = pageOf(await ask({ companyId: COMPANY }));
      expect(own.data).toEqual(pageOf(await ask()).data);
      expectFailure(await ask({ companyId: OTHER_COMPANY }), 'insufficient_scope', '"companyId"');
      expectFailure(await ask({ companyId: 'com_that_is_not_there' }), 'insufficient_scope');
    });
  },
);

test('a key that is limited to a company sees only API keys with the same limit', async () => {
  const answer = await world.service.request(limited, '/v1/api-keys?limit=100');
  const keys = answer.json<{ data: readonly { companyId: string | null }[] }>().data;
  expect(keys.length).toBeGreaterThan(1);
  expect(new Set(keys.map(({ companyId }) => companyId))).toEqual(new Set([COMPANY]));
});

test('a key that is limited to a company cannot read the audit log, neither the list nor an entry', async () => {
  const audit = LISTS.find(({ name }) => name === 'audit-log');
  if (audit === undefined) throw new Error('there is no audit log');
  const [entry] = await bigQuery(world.service.pool, world.workspaceId, audit);
  for (const path of ['', '?kind=api.request', '?limit=0', `/${entry}`, '/no_such_entry']) {
    expectFailure(await world.service.request(limited, `/v1/audit-log${path}`), 'insufficient_scope');
  }
});

describe.each(LISTS)('two workspaces with records of the same ids, on $path', (list) => {
  test('never see each other: a record changed in one is the same as before in the other', async () => {
    const id = seedRow(list, 5).id;
    const tables: Readonly<Record<string, string>> = { 'api-keys': 'api_keys', 'audit-log': 'audit_log' };
    const table = tables[list.name] ?? list.resource.list.relation;
    const ask = (token: string, path: string) => world.service.request(token, list.path + path);
    const before = [await ask(world.token, '?limit=100'), await ask(world.token, `/${id}`)];
    expect(before.map(({ status }) => status)).toEqual([200, 200]);
    await world.service.pool.query(`delete from ${table} where workspace_id = $1 and id = $2`, [
      world.neighbourId,
      id,
    ]);
    expectFailure(await ask(world.neighbourToken, `/${id}`), 'not_found');
    const neighbours = pageOf(await ask(world.neighbourToken, '?limit=100'));
    expect(neighbours.data.map((item) => item.id)).not.toContain(id);
    const after = [await ask(world.token, '?limit=100'), await ask(world.token, `/${id}`)];
    expect(after.map(({ text }) => text)).toEqual(before.map(({ text }) => text));
  });
});
