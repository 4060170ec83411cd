import { etagOf, RESOURCES, type RestartEvent, Svc, SvcError } from '@svc/sdk';
import { bigQuery, LISTS } from '@svc/service/harness/lists.ts';
import { listen } from '@svc/service/harness/socket.ts';
import { createWorld } from '@svc/service/harness/world.ts';
import { expect, test } from 'vitest';
import { clientOf, fetchOf } from '../client.ts';
import { collect } from './lists.ts';

const world = await createWorld();
const { service, token, workspaceId } = world;
const restarts: RestartEvent[] = [];
const svc = clientOf(service.app, token, { onRestart: (event) => restarts.push(event) });

test('`select` reads only the chosen fields and the id: lists, single records and exports', async () => {
  const [whole] = (await svc.mentions.list({ limit: 1 })).data;
  const { id, sentiment, createdAt } = whole ?? { id: '', sentiment: '', createdAt: '' };
  const chosen = svc.mentions.select('sentiment', 'createdAt');
  const companyId = 'com_one';
  expect((await chosen.list({ limit: 1 })).data).toEqual([{ id, sentiment, createdAt }]);
  expect(await chosen.get(id)).toEqual({ id, sentiment, createdAt });
  // An export needs a real connection, on which its lines arrive.
  const connected = new Svc({ baseUrl: await listen(service), apiKey: token });
  const exported = await collect(connected.mentions.select('sentiment', 'createdAt').export({ companyId }));
  expect(exported.length).toBeGreaterThan(0);
  for (const record of exported) expect(Object.keys(record)).toEqual(['id', 'sentiment', 'createdAt']);
  const changes = await svc.changes.select('type').list({ after: 'now' });
  expect(changes.data).toEqual([]);
  expect(changes.pagination.position).toEqual(expect.any(String));
});

test('the chosen fields are sent to the service', async () => {
  const urls: string[] = [];
  const send = fetchOf(service.app);
  const noting = clientOf(service.app, token, {
    fetch: (url, init) => {
      urls.push(String(url));
      return send(url, init);
    },
  });
  await noting.companies.select('name').list();
  await noting.companies.select('name', 'domain').get('com_one');
  expect(urls.map((url) => new URL(url).searchParams.get('fields'))).toEqual(['name', 'name,domain']);
});

test.each(['id', 'headlineScore'] as const)(
  'an iteration over selected fields continues exactly after its cursor has expired, with the field %s',
  async (field) => {
    restarts.splice(0);
    const audits = LISTS.find(({ name }) => name === 'audits');
    if (audits === undefined) throw new Error('there is no list of audits');
    const expected = await bigQuery(service.pool, workspaceId, audits, { sort: 'score-ascending' });
    const ids: string[] = [];
    for await (const { id } of svc.audits.select(field).list({ limit: 4, sort: 'score-ascending' })) {
      ids.push(id);
      if (ids.length === 6) service.clock.now += 25 * 60 * 60 * 1000;
    }
    expect(ids).toEqual(expected);
    expect(restarts).toHaveLength(1);
  },
);

test('a record with only some fields has no ETag for a change', async () => {
  expect(etagOf(await svc.companies.get('com_one'))).toMatch(/^"/);
  const part = await svc.companies.select('name').get('com_one');
  expect(etagOf(part)).toBeUndefined();
  await expect(svc.companies.update('com_one', { name: 'B' }, { ifMatch: part })).rejects.toThrow(
    '"ifMatch"',
  );
});

test('no field, and what is not text, are refused before anything is sent', () => {
  for (const property of Object.keys(RESOURCES)) {
    const { select } = svc[property as 'audits'];
    const untyped = select as unknown as (...fields: readonly unknown[]) => unknown;
    for (const fields of [[], [''], [null], [['id']]]) expect(() => untyped(...fields)).toThrow(SvcError);
  }
});
