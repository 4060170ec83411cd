import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { COMPANY, OTHER_COMPANY } from '../harness/lists.ts';
import { BELONGING, CHANGEABLE, newRecord, WRITES } from './cases.ts';
import { dumpOf } from './dump.ts';
import { createWriteWorld, type Method, type WriteWorld } from './world.ts';

let world: WriteWorld;
let limited: string;
beforeAll(async () => {
  world = await createWriteWorld();
  limited = await world.service.token(world.workspaceId, { access: 'write', companyId: COMPANY });
  for (const of of BELONGING) {
    await world.create(of, { id: 'mine', companyId: COMPANY });
    await world.create(of, { id: 'theirs', companyId: OTHER_COMPANY });
  }
});

type Request = readonly [Method, string, unknown?];
const send = ([method, url, body]: Request, token = limited) => world.send(method, url, body, { token });
const recordsOf = () => dumpOf(world.service.pool, ['companies', 'audits', 'mentions', 'content']);

const EVERY_WRITE: readonly Request[] = WRITES.flatMap((of): Request[] => [
  ['POST', of.path, newRecord(of, { id: 'new' })],
  ['POST', `${of.path}/batch`, { data: [newRecord(of)] }],
  ...(of.resource.immutable
    ? []
    : ([
        ['PATCH', `${of.path}/${of.parent === undefined ? COMPANY : 'mine'}`, {}],
        ['DELETE', `${of.path}/${of.parent === undefined ? COMPANY : 'mine'}`],
      ] as const)),
]);

describe.each(
  EVERY_WRITE.map((request) => ({ request, method: request[0], url: request[1], body: request[2] })),
)('$method $url', ({ request, method, url, body }) => {
  test('is 403 for a key that may only read, for any record, and changes nothing', async () => {
    const before = await recordsOf();
    for (const mode of ['live', 'test'] as const) {
      const reader = await world.service.token(world.workspaceId, { mode });
      expectFailure(await send(request, reader), 'insufficient_scope', 'may only read');
      const missing = url.replace(/(mine|com_one)$/, 'no_such_record');
      expectFailure(await send([method, missing, body], reader), 'insufficient_scope');
    }
    expect(await recordsOf()).toEqual(before);
  });

  test('is 401 without a key', async () => {
    const payload = body === undefined ? {} : { payload: Object(body) };
    expectFailure(await world.service.request(null, url, { method, ...payload }), 'invalid_key');
  });
});

describe.each(BELONGING)('a key that is limited to one company, in $path', (of) => {
  const { path } = of;

  test('writes records of that company', async () => {
    expect((await send(['POST', path, newRecord(of)])).status).toBe(201);
    expect((await send(['POST', `${path}/batch`, { data: [newRecord(of), newRecord(of)] }])).status).toBe(
      201,
    );
  });

  test('creates no record of another company, also not in a batch, and does not learn whether that company exists', async () => {
    const before = await recordsOf();
    for (const companyId of [OTHER_COMPANY, 'no_such_company']) {
      const other = newRecord(of, { companyId });
      expectFailure(
        await send(['POST', path, other]),
        'insufficient_scope',
        '/companyId must be',
        'one company',
      );
      const data = [newRecord(of), other];
      expectFailure(
        await send(['POST', `${path}/batch`, { data }]),
        'insufficient_scope',
        '/data/1/companyId',
      );
    }
    expect(await recordsOf()).toEqual(before);
  });

  // Audits cannot be changed.
  test.skipIf(of.resource.immutable)(
    'changes and deletes its own, finds no other, and moves none to another company',
    async () => {
      expect((await send(['PATCH', `${path}/mine`, { title: 'Changed' }])).status).toBe(200);
      const before = await recordsOf();
      for (const companyId of [OTHER_COMPANY, 'no_such_company']) {
        expectFailure(
          await send(['PATCH', `${path}/mine`, { companyId }]),
          'insufficient_scope',
          '/companyId',
        );
      }
      expectFailure(await send(['PATCH', `${path}/theirs`, { title: 'x' }]), 'not_found');
      expectFailure(await send(['PATCH', `${path}/theirs`, { companyId: COMPANY }]), 'not_found');
      expectFailure(await send(['DELETE', `${path}/theirs`]), 'not_found');
      expect(await recordsOf()).toEqual(before);
      expect((await send(['PATCH', `${path}/mine`, { companyId: COMPANY }])).status).toBe(200);
      expect((await send(['DELETE', `${path}/mine`])).status).toBe(204);
    },
  );
});

describe('a key that is limited to one company', () => {
  test('changes only that company, and creates and deletes none', async () => {
    const one = { name: 'New name' };
    expect((await send(['PATCH', `/v1/companies/${COMPANY}`, one])).json()).toMatchObject(one);
    const before = await recordsOf();
    expectFailure(await send(['PATCH', `/v1/companies/${OTHER_COMPANY}`, one]), 'not_found');
    expectFailure(await send(['DELETE', `/v1/companies/${OTHER_COMPANY}`]), 'not_found');
    expectFailure(await send(['DELETE', `/v1/companies/${COMPANY}`]), 'conflict');
    expectFailure(await send(['POST', '/v1/companies', one]), 'insufficient_scope');
    expectFailure(await send(['POST', '/v1/companies', { ...one, id: COMPANY }]), 'insufficient_scope');
    expectFailure(await send(['POST', '/v1/companies/batch', { data: [one] }]), 'insufficient_scope');
    expect(await recordsOf()).toEqual(before);
  });

  test('does not get the response to another company’s request with the same Idempotency-Key', async () => {
    const [of] = BELONGING;
    if (of === undefined) throw new Error('no resource belongs to a company');
    const body = newRecord(of, { companyId: OTHER_COMPANY });
    const headers = { 'idempotency-key': 'theirs' };
    expect((await world.send('POST', of.path, body, { headers })).status).toBe(201);
    const answer = await world.send('POST', of.path, body, { headers, token: limited });
    expectFailure(answer, 'insufficient_scope');
  });
});

test.each(CHANGEABLE)('nothing of another workspace can be reached through $path', async (of) => {
  const other = await createWriteWorld(world.service);
  const { id } = await other.create(of, { id: 'private' });
  const before = await recordsOf();
  for (const token of [world.live, world.sandbox]) {
    const url = `${of.path}/${id}`;
    for (const headers of [{}, { 'if-match': '*' }]) {
      expectFailure(await world.send('PATCH', url, {}, { token, headers }), 'not_found');
      expectFailure(await world.send('DELETE', url, undefined, { token, headers }), 'not_found');
    }
  }
  expect(await recordsOf()).toEqual(before);
});
