import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../../harness/answers.ts';
import { COMPANY, OTHER_COMPANY } from '../../harness/lists.ts';
import {
  BELONGING,
  type Body,
  CHANGEABLE,
  newRecord,
  WRITES,
  type WriteCase,
  writeCaseOf,
} from '../cases.ts';
import { type Created, createWriteWorld, type SendOptions, type WriteWorld } from '../world.ts';

let world: WriteWorld;
beforeAll(async () => {
  world = await createWriteWorld();
});

const put = ({ path }: WriteCase, id: string, body: unknown, options?: SendOptions) =>
  world.send('PUT', `${path}/${id}`, body, options);
const textOf = ({ resource }: WriteCase): string => ('title' in resource.fields ? 'title' : 'name');

interface Change {
  readonly recordId: string;
  readonly record: Created | null;
  readonly changed?: readonly string[];
}
/** The changes of a record, oldest first. */
async function changesOf(id: string): Promise<readonly Change[]> {
  const { data } = (await world.get('/v1/changes?limit=100')).json<{ data: Change[] }>();
  return data.filter(({ recordId }) => recordId === id).toReversed();
}

describe.each(WRITES)('PUT $path/{id}', (of) => {
  test('creates a record as POST does: 201, ETag, Location, counter and change', async () => {
    const counted = async () => {
      const { rows } = await world.service.pool.query<{ records: number }>(
        `select records from record_counts where workspace_id = $1 and resource = $2 and company_id = ''`,
        [world.workspaceId, of.name],
      );
      return rows[0]?.records ?? 0;
    };
    const before = await counted();
    const id = `put_${of.name}`;
    const answer = await put(of, id, newRecord(of));
    expect(answer.status).toBe(201);
    expect(answer.headers).toMatchObject({ location: `${of.path}/${id}`, etag: expect.stringMatching(/^"/) });
    const read = await world.get(`${of.path}/${id}`);
    expect({ text: read.text, etag: read.headers['etag'] }).toEqual({
      text: answer.text,
      etag: answer.headers['etag'],
    });
    expect(await counted()).toBe(before + 1);
    expect(await changesOf(id)).toMatchObject([{ record: answer.json() }]);
  });

  test('that is repeated gets 200 and changes nothing', async () => {
    const id = `again_${of.name}`;
    const first = await put(of, id, newRecord(of));
    const second = await put(of, id, { ...newRecord(of), id });
    expect({ status: second.status, text: second.text, etag: second.headers['etag'] }).toEqual({
      status: 200,
      text: first.text,
      etag: first.headers['etag'],
    });
    expect(await changesOf(id)).toHaveLength(1);
  });

  test('refuses another id in the body, a bad id in the path and a missing field', async () => {
    expectFailure(
      await put(of, 'one', newRecord(of, { id: 'two' })),
      'invalid_body',
      '/id must be the id in the path',
    );
    expectFailure(await put(of, 'a%20b', newRecord(of)), 'invalid_body', '/id must be an id');
    expectFailure(await put(of, 'one', {}), 'invalid_body', 'is required');
    expectFailure(await put(of, 'one', [newRecord(of)]), 'invalid_body', 'must be a JSON object');
    expect((await world.get(`${of.path}/one`)).status).toBe(404);
  });

  test('with If-None-Match: * creates once; with If-Match it never creates', async () => {
    const id = `once_${of.name}`;
    expectFailure(
      await put(of, id, newRecord(of), { headers: { 'if-match': '*' } }),
      'precondition_failed',
      'There is no such',
    );
    const ifNew = { headers: { 'if-none-match': '*' } };
    expect((await put(of, id, newRecord(of), ifNew)).status).toBe(201);
    expectFailure(await put(of, id, newRecord(of), ifNew), 'precondition_failed', 'exists already');
  });

  test('with an Idempotency-Key gets the first response again, and another body is refused', async () => {
    const headers = { 'idempotency-key': `put ${of.name}`.replace(' ', '_') };
    const id = `key_${of.name}`;
    const first = await put(of, id, newRecord(of), { headers });
    const again = await put(of, id, newRecord(of), { headers });
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expectFailure(await put(of, `other_${id}`, newRecord(of), { headers }), 'idempotency_mismatch');
  });

  test('by many at the same time creates one record', async () => {
    const id = `race_${of.name}`;
    const answers = await Promise.all(Array.from({ length: 8 }, () => put(of, id, newRecord(of))));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 7 }, () => 200),
      201,
    ]);
  });

  test('with a test key is a dry run', async () => {
    const answer = await put(of, `dry_${of.name}`, newRecord(of), { token: world.sandbox });
    expect({ status: answer.status, dry: answer.headers['dry-run'] }).toEqual({ status: 201, dry: 'true' });
    expect((await world.get(`${of.path}/dry_${of.name}`)).status).toBe(404);
  });
});

describe.each(CHANGEABLE)('PUT $path/{id} of a record that exists', (of) => {
  test('replaces it: createdAt stays, fields that are left out get their default, and the feed has the change', async () => {
    const id = `replaced_${of.name}`;
    const before = (await put(of, id, newRecord(of))).json<Created>();
    const required = Object.fromEntries(
      Object.entries(newRecord(of, { [textOf(of)]: 'Other' })).filter(
        ([name]) => of.fields.find((field) => field.name === name)?.required === true || name === 'status',
      ),
    );
    const answer = await put(of, id, required);
    expect(answer.status).toBe(200);
    const after = answer.json<Created>();
    expect(after).toMatchObject({ ...required, createdAt: before['createdAt'] });
    for (const { name, nullable, required: needed } of of.fields)
      if (nullable && !needed && name !== 'publishedAt') expect(after[name]).toBeNull();
    const changed = (await changesOf(id)).at(-1);
    expect(changed).toMatchObject({ record: after, changed: expect.arrayContaining([textOf(of)]) });
  });

  test('with the ETag of another version is 412, and nothing changes', async () => {
    const id = `stale_${of.name}`;
    const { headers } = await put(of, id, newRecord(of));
    await put(of, id, newRecord(of, { [textOf(of)]: 'Second' }));
    const ifMatch = { headers: { 'if-match': String(headers['etag']) } };
    expectFailure(await put(of, id, newRecord(of), ifMatch), 'precondition_failed');
    expect((await world.get(`${of.path}/${id}`)).json()).toMatchObject({ [textOf(of)]: 'Second' });
  });
});

describe('PUT with a key that is limited to one company', () => {
  test.each(BELONGING)('writes only its own records of $path', async (of) => {
    const token = await world.service.token(world.workspaceId, { access: 'write', companyId: COMPANY });
    const own = `own_${of.name}`;
    expect((await put(of, own, newRecord(of), { token })).status).toBe(201);
    const other: Body = newRecord(of, { companyId: OTHER_COMPANY });
    expectFailure(await put(of, `x_${of.name}`, other, { token }), 'insufficient_scope');
    await put(of, `theirs_${of.name}`, other);
    const before = (await world.get(`${of.path}/theirs_${of.name}`)).text;
    expectFailure(await put(of, `theirs_${of.name}`, newRecord(of), { token }), 'conflict', 'is taken');
    expect((await world.get(`${of.path}/theirs_${of.name}`)).text).toBe(before);
    if (!of.resource.immutable) expectFailure(await put(of, own, other, { token }), 'insufficient_scope');
  });

  test('replaces its company, and creates none', async () => {
    const of = writeCaseOf('companies');
    const token = await world.service.token(world.workspaceId, { access: 'write', companyId: COMPANY });
    expect((await put(of, COMPANY, { name: 'Acme' }, { token })).status).toBe(200);
    expectFailure(await put(of, 'another', { name: 'Another' }, { token }), 'insufficient_scope');
  });
});

test('an audit that exists with other values is refused: 409', async () => {
  const of = writeCaseOf('audits');
  await put(of, 'fixed', newRecord(of, { headlineScore: 1 }));
  expectFailure(await put(of, 'fixed', newRecord(of, { headlineScore: 2 })), 'conflict', 'cannot be changed');
});

test('a status that may not follow is refused, and publishedAt stays if it is left out or null', async () => {
  const of = writeCaseOf('content');
  const body = { companyId: COMPANY, title: 'x', status: 'published' };
  const first = (await put(of, 'state', body)).json<Created>();
  expect(first['publishedAt']).not.toBeNull();
  expect((await put(of, 'state', body)).json()).toEqual(first);
  expectFailure(await put(of, 'state', { ...body, status: 'in_review' }), 'invalid_transition');
  expect((await put(of, 'state', { ...body, publishedAt: null })).json()).toEqual(first);
});

test('a company that does not exist is refused by its field', async () => {
  const of = writeCaseOf('mentions');
  expectFailure(
    await put(of, 'nowhere', newRecord(of, { companyId: 'none' })),
    'invalid_body',
    '/companyId names a company that does not exist',
  );
});
