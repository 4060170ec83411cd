import { BATCH_MAX_RECORDS, type ErrorCode } from '@svc/sdk/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../../harness/answers.ts';
import { requestEntries } from '../../harness/entries.ts';
import { COMPANY, OTHER_COMPANY } from '../../harness/lists.ts';
import { type Body, CHANGEABLE, newRecord, type WriteCase, writeCaseOf } from '../cases.ts';
import { type Created, createWriteWorld, type SendOptions, type WriteWorld } from '../world.ts';

let world: WriteWorld;
beforeAll(async () => {
  world = await createWriteWorld();
});

const update = ({ path }: WriteCase, data: unknown, options?: SendOptions) =>
  world.send('PATCH', `${path}/batch`, { data }, options);
const remove = ({ path }: WriteCase, ids: readonly string[], options?: SendOptions) =>
  world.send('POST', `${path}/batch/delete`, { data: ids.map((id) => ({ id })) }, options);
const textOf = ({ resource }: WriteCase): string => ('title' in resource.fields ? 'title' : 'name');

async function made(of: WriteCase, count: number, over: Body = {}): Promise<readonly string[]> {
  const answer = await world.send('POST', `${of.path}/batch`, {
    data: Array.from({ length: count }, () => newRecord(of, over)),
  });
  return answer.json<{ data: Created[] }>().data.map(({ id }) => id);
}
async function newest(): Promise<readonly { type: string; recordId: string }[]> {
  return (await world.get('/v1/changes?limit=100')).json<{ data: { type: string; recordId: string }[] }>()
    .data;
}
const counts = async () =>
  (
    await world.service.pool.query('select * from record_counts where workspace_id = $1 order by 2, 3', [
      world.workspaceId,
    ])
  ).rows;
const lastEntry = async () => {
  const { path, recordIds } = (await requestEntries(world.service.pool, world.workspaceId)).at(-1) ?? {};
  return { path, recordIds };
};

describe.each(CHANGEABLE)('a batch of changes of $path', (of) => {
  test('changes all records in one transaction: one entry, and the changes in the order of the request', async () => {
    const ids = await made(of, 3);
    const data = ids.map((id, i) => ({ id, [textOf(of)]: `New ${i}` }));
    const answer = await update(of, data);
    expect(answer.status).toBe(200);
    expect(answer.json<{ data: Created[] }>().data).toMatchObject(data);
    for (const [i, id] of ids.entries())
      expect((await world.get(`${of.path}/${id}`)).json()).toMatchObject({ [textOf(of)]: `New ${i}` });
    const changes = (await newest()).slice(0, 3).toReversed();
    expect(changes.map(({ recordId }) => recordId)).toEqual(ids);
    expect(changes.every(({ type }) => type.endsWith('.updated'))).toBe(true);
    expect(await lastEntry()).toEqual({ path: `${of.path}/batch`, recordIds: [...ids] });
  });

  test('names the records that have changed, and leaves the others out of the feed', async () => {
    const [first = '', second = ''] = await made(of, 2);
    await update(of, [{ id: first }, { id: second, [textOf(of)]: 'Only this' }]);
    expect((await lastEntry()).recordIds).toEqual([second]);
    expect((await newest())[0]).toMatchObject({ recordId: second });
    expect((await newest())[1]).toMatchObject({ type: expect.stringMatching(/created$/) });
  });

  test('that has one bad record changes nothing, and names it', async () => {
    const ids = await made(of, 2);
    const [first, second] = ids;
    const before = await counts();
    const cases: readonly [unknown, ErrorCode, string][] = [
      [
        [
          { id: first, [textOf(of)]: 'x' },
          { id: second, [textOf(of)]: 5 },
        ],
        'invalid_body',
        `/data/1/${textOf(of)} must be`,
      ],
      [[{ id: first, [textOf(of)]: 'x' }, { id: 'none' }], 'not_found', '/data/1: There is no'],
      [
        [{ id: first, [textOf(of)]: 'x' }, { id: first }],
        'invalid_body',
        '/data/1/id must differ from /data/0/id',
      ],
      [[{ [textOf(of)]: 'x' }], 'invalid_body', '/data/0/id is required'],
      [[{ id: 'a b' }, 5], 'invalid_body', '/data/0/id must be an id'],
      [
        [{ id: first, createdAt: '2026-03-01T09:30:00Z' }],
        'invalid_body',
        '/data/0/createdAt is set by the service',
      ],
      [[], 'invalid_body', '/data must be an array of 1 to 1000 records'],
    ];
    for (const [data, code, text] of cases) expectFailure(await update(of, data), code, text);
    expect((await world.get(`${of.path}/${first}`)).json()).not.toMatchObject({ [textOf(of)]: 'x' });
    expect(await counts()).toEqual(before);
  });

  test('with a test key is a dry run', async () => {
    const [id = ''] = await made(of, 1);
    const answer = await update(of, [{ id, [textOf(of)]: 'Dry' }], { token: world.sandbox });
    expect({ status: answer.status, dry: answer.headers['dry-run'] }).toEqual({ status: 200, dry: 'true' });
    expect((await world.get(`${of.path}/${id}`)).json()).not.toMatchObject({ [textOf(of)]: 'Dry' });
  });
});

describe.each(CHANGEABLE)('a batch of deletions of $path', (of) => {
  test('deletes all records: 204, one entry, changes and counters', async () => {
    const before = await counts();
    const ids = await made(of, 3);
    const answer = await remove(of, ids);
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' });
    expect(await counts()).toEqual(before);
    expect(await lastEntry()).toEqual({ path: `${of.path}/batch/delete`, recordIds: [...ids] });
    expect((await newest()).slice(0, 3).map(({ recordId }) => recordId)).toEqual(ids.toReversed());
    for (const id of ids) expect((await world.get(`${of.path}/${id}`)).status).toBe(404);
  });

  test('with an id that does not exist deletes nothing; a repeat with the Idempotency-Key gets 204 again', async () => {
    const ids = await made(of, 2);
    expectFailure(await remove(of, [...ids, 'none']), 'not_found', '/data/2: There is no');
    const headers = { 'idempotency-key': `delete_${of.name}` };
    expect((await remove(of, ids, { headers })).status).toBe(204);
    const again = await remove(of, ids, { headers });
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([204, 'true']);
    expectFailure(await remove(of, ids), 'not_found');
  });

  test('with unknown fields is refused', async () => {
    const answer = await world.send('POST', `${of.path}/batch/delete`, { data: [{ id: 'a', name: 'b' }] });
    expectFailure(answer, 'invalid_body', '/data/0/name is not a field here; allowed: id');
  });
});

test('a company with records stops the whole batch: 409 with its place', async () => {
  const of = writeCaseOf('companies');
  const [free = ''] = await made(of, 1);
  await world.create(writeCaseOf('mentions'));
  expectFailure(await remove(of, [free, COMPANY]), 'conflict', '/data/1: The company still has records');
  expect((await world.get(`${of.path}/${free}`)).status).toBe(200);
});

test('the status of content can only change as in single changes', async () => {
  const of = writeCaseOf('content');
  const [first = '', second = ''] = await made(of, 2, { status: 'draft' });
  const data = [
    { id: first, status: 'in_review' },
    { id: second, status: 'archived' },
  ];
  expectFailure(await update(of, data), 'invalid_transition', '/data/1: The status');
  expect((await world.get(`${of.path}/${first}`)).json()).toMatchObject({ status: 'draft' });
});

test('a key of one company does not find the records of another', async () => {
  const of = writeCaseOf('mentions');
  const token = await world.service.token(world.workspaceId, { access: 'write', companyId: COMPANY });
  const [own = ''] = await made(of, 1);
  const [other = ''] = await made(of, 1, { companyId: OTHER_COMPANY });
  expectFailure(await remove(of, [own, other], { token }), 'not_found', '/data/1');
  expectFailure(await update(of, [{ id: other, title: 'x' }], { token }), 'not_found', '/data/0');
  expectFailure(
    await update(of, [{ id: own, companyId: OTHER_COMPANY }], { token }),
    'insufficient_scope',
    '/data/0/companyId must be',
  );
  expect((await remove(of, [own], { token })).status).toBe(204);
});

test('moves between companies change their counters', async () => {
  const of = writeCaseOf('mentions');
  const ids = await made(of, 4);
  const before = await counts();
  await update(
    of,
    ids.map((id) => ({ id, companyId: OTHER_COMPANY })),
  );
  const after = await counts();
  const moved = (rows: readonly Body[], company: string) =>
    Number(
      rows.find((row) => row['resource'] === 'mentions' && row['company_id'] === company)?.['records'] ?? 0,
    );
  expect(moved(after, OTHER_COMPANY) - moved(before, OTHER_COMPANY)).toBe(4);
  expect(moved(after, COMPANY) - moved(before, COMPANY)).toBe(-4);
});

test('the largest batch is changed and deleted at once', async () => {
  const of = writeCaseOf('companies');
  const ids = await made(of, BATCH_MAX_RECORDS);
  const answer = await update(
    of,
    ids.map((id) => ({ id, name: 'Large' })),
  );
  expect(answer.json<{ data: Created[] }>().data).toHaveLength(BATCH_MAX_RECORDS);
  expect((await remove(of, ids)).status).toBe(204);
  expectFailure(await remove(of, [...ids, 'one_more']), 'invalid_body', '1 to 1000');
});

test('audits have no batches of changes', async () => {
  const of = writeCaseOf('audits');
  expectFailure(await update(of, [{ id: 'a' }]), 'method_not_allowed');
  expectFailure(await remove(of, ['a']), 'not_found');
});
