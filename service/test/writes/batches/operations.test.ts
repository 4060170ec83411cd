import { BATCH_MAX_OPERATIONS, type ErrorCode } from '@svc/sdk/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../../harness/answers.ts';
import { requestEntries } from '../../harness/entries.ts';
import { COMPANY, OTHER_COMPANY } from '../../harness/lists.ts';
import { dumpOf } from '../dump.ts';
import { createWriteWorld, type SendOptions, type WriteWorld } from '../world.ts';

let world: WriteWorld;
beforeAll(async () => {
  world = await createWriteWorld();
});

interface Results {
  readonly data: readonly { readonly status: number; readonly body?: { readonly id: string } }[];
}
const batch = (operations: unknown, options?: SendOptions) =>
  world.send('POST', '/v1/batch', { operations }, options);

/** A company, a record of it, and changes of both. */
const DEPENDENT = (id: string) => [
  { method: 'PUT', path: `/v1/companies/${id}`, body: { name: 'New' } },
  { method: 'POST', path: '/v1/content', body: { id: `${id}_1`, companyId: id, title: 'First' } },
  { method: 'PATCH', path: `/v1/content/${id}%5f1`, body: { status: 'in_review' } },
  { method: 'POST', path: '/v1/content', body: { id: `${id}_2`, companyId: id, title: 'Second' } },
  { method: 'DELETE', path: `/v1/content/${id}_2` },
];

describe('a batch of operations', () => {
  test('carries them out in their order, in one transaction with one entry', async () => {
    const answer = await batch(DEPENDENT('dep'));
    expect(answer.status).toBe(200);
    const { data } = answer.json<Results>();
    expect(data.map(({ status }) => status)).toEqual([201, 201, 200, 201, 204]);
    expect(data[2]?.body).toMatchObject({ id: 'dep_1', title: 'First', status: 'in_review' });
    expect((await world.get('/v1/content/dep_1')).json()).toEqual(data[2]?.body);
    expect((await world.get('/v1/content/dep_2')).status).toBe(404);
    const entries = await requestEntries(world.service.pool, world.workspaceId);
    expect(entries.filter(({ path }) => path === '/v1/batch').map(({ recordIds }) => recordIds)).toEqual([
      ['dep', 'dep_1', 'dep_2'],
    ]);
    const changes = (await world.get('/v1/changes?limit=5')).json<{ data: { type: string }[] }>().data;
    expect(changes.map(({ type }) => type).toReversed()).toEqual([
      'company.created',
      'content.created',
      'content.updated',
      'content.created',
      'content.deleted',
    ]);
  });

  test('with a test key gets the same results, and changes nothing', async () => {
    const tables = async () => {
      const all = await dumpOf(world.service.pool);
      return ['companies', 'content', 'changes', 'record_counts', 'audit_log'].map((name) => all[name]);
    };
    const before = await tables();
    const answer = await batch(DEPENDENT('dry'), { token: world.sandbox });
    expect({ status: answer.status, dry: answer.headers['dry-run'] }).toEqual({ status: 200, dry: 'true' });
    expect(answer.json<Results>().data.map(({ status }) => status)).toEqual([201, 201, 200, 201, 204]);
    expect(await tables()).toEqual(before);
  });

  test('that is refused writes nothing, and names the operation', async () => {
    const good = { method: 'POST', path: '/v1/companies', body: { id: 'never', name: 'x' } };
    const cases: readonly [unknown, ErrorCode, string][] = [
      [
        { method: 'POST', path: '/v1/mentions', body: {} },
        'invalid_body',
        '/operations/1/body/title is required',
      ],
      [{ method: 'POST', path: '/v1/content', body: 5 }, 'invalid_body', '/operations/1/body must be'],
      [
        { method: 'POST', path: '/v1/content', body: { companyId: 'none', title: 'x' } },
        'invalid_body',
        '/operations/1/body/companyId names a company',
      ],
      [
        { method: 'POST', path: '/v1/companies', body: { id: 'never', name: 'x' } },
        'conflict',
        '/operations/1: /id is taken',
      ],
      [
        { method: 'PATCH', path: '/v1/content/none', body: {} },
        'not_found',
        '/operations/1: There is no such',
      ],
      [
        { method: 'DELETE', path: `/v1/companies/${COMPANY}`, ifMatch: '"x"' },
        'precondition_failed',
        '/operations/1: ',
      ],
      [
        { method: 'PUT', path: `/v1/companies/${COMPANY}`, body: { name: 'x' }, ifNoneMatch: '*' },
        'precondition_failed',
        'exists already',
      ],
      [
        { method: 'PATCH', path: '/v1/audits/x', body: {} },
        'invalid_body',
        '/operations/1/method must be PUT',
      ],
      [{ method: 'GET', path: '/v1/audits' }, 'invalid_body', '/operations/1/method must be POST'],
      [
        { method: 'POST', path: '/v1/audits/batch', body: {} },
        'invalid_body',
        '/operations/1/method must be PUT',
      ],
      [
        { method: 'POST', path: '/v1/api-keys', body: {} },
        'invalid_body',
        '/operations/1/path must be /v1/audits',
      ],
      [{ method: 'POST', path: 'https://a.example/v1/audits' }, 'invalid_body', '/operations/1/path must be'],
      [{ method: 'POST', path: '/v1/audits?x=1', body: {} }, 'invalid_body', '/operations/1/path must be'],
      [{ method: 'PUT', path: '/v1/audits/a%20b', body: {} }, 'invalid_body', '/operations/1/path must end'],
      [{ method: 'POST', path: { toString: 5 }, body: {} }, 'invalid_body', '/operations/1/path must be'],
      [
        { method: 'DELETE', path: '/v1/content/a', body: {} },
        'invalid_body',
        '/operations/1/body is not allowed',
      ],
      [
        { method: 'POST', path: '/v1/content', body: {}, ifMatch: '*' },
        'invalid_body',
        '/operations/1/ifMatch is not allowed',
      ],
      [
        { method: 'DELETE', path: '/v1/content/a', ifMatch: 5 },
        'invalid_body',
        '/operations/1/ifMatch must be',
      ],
      [
        { method: 'DELETE', path: '/v1/content/a', extra: 5 },
        'invalid_body',
        '/operations/1/extra is not a field here',
      ],
      [null, 'invalid_body', '/operations/1 must be a JSON object'],
      [[], 'invalid_body', '/operations/1 must be a JSON object'],
    ];
    for (const [bad, code, text] of cases) expectFailure(await batch([good, bad]), code, text);
    expect((await world.get('/v1/companies/never')).status).toBe(404);
  });

  test('has 1 to 100 operations', async () => {
    const one = (i: number) => ({ method: 'PUT', path: `/v1/companies/many_${i}`, body: { name: 'x' } });
    const all = Array.from({ length: BATCH_MAX_OPERATIONS }, (_, i) => one(i));
    expect((await batch(all)).status).toBe(200);
    for (const operations of [[], [...all, one(0)], {}, undefined])
      expectFailure(
        await batch(operations),
        'invalid_body',
        '/operations must be an array of 1 to 100 operations',
      );
  });

  test('with an Idempotency-Key gets the first response again', async () => {
    const headers = { 'idempotency-key': 'batch' };
    const operations = [{ method: 'POST', path: '/v1/companies', body: { name: 'Once' } }];
    const first = await batch(operations, { headers });
    const again = await batch(operations, { headers });
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
  });

  test('needs write access, and stays in the company of its key', async () => {
    const { service, workspaceId, reader } = world;
    const operation = { method: 'POST', path: '/v1/content', body: { companyId: OTHER_COMPANY, title: 'x' } };
    expectFailure(await batch([operation], { token: reader }), 'insufficient_scope');
    const token = await service.token(workspaceId, { access: 'write', companyId: COMPANY });
    expectFailure(await batch([operation], { token }), 'insufficient_scope', '/operations/0/body/companyId ');
    const own = { ...operation, body: { companyId: COMPANY, title: 'x' } };
    expect((await batch([own], { token })).status).toBe(200);
  });
});
