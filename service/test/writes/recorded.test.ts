import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ensurePartitions, listPartitions } from '../../src/audit-log/partitions.ts';
import { expectFailure } from '../harness/answers.ts';
import { newRequestEntries } from '../harness/entries.ts';
import { COMPANY } from '../harness/lists.ts';
import { inCluster } from '../harness/locks.ts';
import { TEST_ACTOR, type TestAnswer } from '../harness/service.ts';
import { newRecord, WRITES, writeCaseOf } from './cases.ts';
import { dumpOf } from './dump.ts';
import { type Created, createWriteWorld, type Method, type WriteWorld } from './world.ts';

const mentions = writeCaseOf('mentions');

let world: WriteWorld;
beforeAll(async () => {
  world = await createWriteWorld();
});

const { path } = mentions;
const entriesOf = (work: () => Promise<unknown>) =>
  newRequestEntries(world.service.pool, world.workspaceId, work);
const recordsOf = () =>
  dumpOf(world.service.pool, [
    'mentions',
    'companies',
    'record_counts',
    'workspace_clocks',
    'idempotent_answers',
  ]);
const post = (token = world.live, headers = {}): Promise<TestAnswer> =>
  world.send('POST', path, newRecord(mentions), { token, headers });

describe('the audit entry of a write', () => {
  test('names the record that was created, changed or deleted, only by its id', async () => {
    let id = '';
    const entries = await entriesOf(async () => {
      id = (await world.create(mentions)).id;
      await world.send('PATCH', `${path}/${id}`, { title: 'Changed' });
      await world.send('DELETE', `${path}/${id}`);
    });
    expect(
      entries.map(({ method, path: at, status, recordIds }) => ({ method, at, status, recordIds })),
    ).toEqual([
      { method: 'POST', at: path, status: 201, recordIds: [id] },
      { method: 'PATCH', at: `${path}/${id}`, status: 200, recordIds: [id] },
      { method: 'DELETE', at: `${path}/${id}`, status: 204, recordIds: [id] },
    ]);
  });

  test.each(WRITES)('names every record of a batch in $path, in its order', async (of) => {
    let made: readonly Created[] = [];
    const entries = await entriesOf(async () => {
      const data = Array.from({ length: 30 }, () => newRecord(of));
      made = (await world.send('POST', `${of.path}/batch`, { data })).json<{ data: readonly Created[] }>()
        .data;
    });
    expect(made).toHaveLength(30);
    expect(entries.map(({ recordIds }) => recordIds)).toEqual([made.map(({ id }) => id)]);
  });

  test('of a refused write exists and names no record', async () => {
    const refused: readonly (readonly [Method, string, unknown, number])[] = [
      ['POST', path, {}, 400],
      ['POST', path, '{', 400],
      ['POST', '/v1/companies', { id: COMPANY, name: 'x' }, 409],
      ['POST', `${path}/batch`, { data: [newRecord(mentions), {}] }, 400],
      ['PATCH', `${path}/nothing`, {}, 404],
      ['DELETE', `/v1/companies/${COMPANY}`, undefined, 409],
      ['DELETE', '/v1/audits/x', undefined, 405],
    ];
    await world.create(mentions);
    for (const [method, url, body, status] of refused) {
      const entries = await entriesOf(() => world.send(method, url, body));
      expect(entries.map((entry) => ({ method: entry.method, status: entry.status }))).toEqual([
        { method, status },
      ]);
      expect(entries[0]).not.toHaveProperty('recordIds');
    }
  });

  test('of a change that changes nothing names no record', async () => {
    const { id, title } = await world.create(mentions);
    const entries = await entriesOf(() => world.send('PATCH', `${path}/${id}`, { title }));
    expect(entries.map(({ status, recordIds = [] }) => ({ status, recordIds }))).toEqual([
      { status: 200, recordIds: [] },
    ]);
  });

  test('of a test key does not exist', async () => {
    expect(await entriesOf(() => post(world.sandbox))).toEqual([]);
  });

  test('is committed with the records, one per write and in order, also for many writes at once', async () => {
    const entries = await entriesOf(() => Promise.all(Array.from({ length: 50 }, () => post())));
    expect(entries).toHaveLength(50);
    const times = entries.map(({ createdAt }) => createdAt);
    expect(new Set(times).size).toBe(50);
    expect(times).toEqual([...times].sort());
    expect(new Set(entries.flatMap(({ recordIds }) => recordIds ?? [])).size).toBe(50);
  });
});

describe('a write is refused and nothing is written', () => {
  let before: object;
  beforeEach(async () => {
    await post();
    before = await recordsOf();
  });

  test('with 429 once the live quota is used up, also by concurrent requests', async () => {
    const { pool } = world.service;
    const setQuota = (quota: number | null) =>
      pool.query('update live_meters set live_quota = $2, live_requests = 0 where workspace_id = $1', [
        world.workspaceId,
        quota,
      ]);
    await setQuota(3);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => post(world.live, { 'idempotency-key': `quota-${i}` })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    const { rows } = await pool.query<{ used: number }>(
      'select live_requests as used from live_meters where workspace_id = $1',
      [world.workspaceId],
    );
    expect(rows).toEqual([{ used: 3 }]);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expectFailure(answer, 'quota_exceeded');
      expect(answer.headers['ratelimit']).toMatch(/"quota";r=0;/);
      for (const name of ['etag', 'location']) expect(answer.headers).not.toHaveProperty(name);
    }
    const { rows: kept } = await pool.query(
      `select (select count(*)::int from idempotent_answers where idempotency_key like 'quota-%') as answers,
        (select count(*)::int from mentions where workspace_id = $1) as records,
        (select records::int from record_counts where workspace_id = $1 and resource = 'mentions' and company_id = '') as counted`,
      [world.workspaceId],
    );
    expect(kept[0]).toMatchObject({ answers: 3, counted: kept[0]?.records });
    await setQuota(null);
  });

  test.each(['revoke', 'rotate'] as const)('with 401 after the key was changed: %s', async (change) => {
    const { service, workspaceId } = world;
    const { keyId, token } = await service.issue(workspaceId, { access: 'write' });
    expect((await post(token)).status).toBe(201);
    before = await recordsOf();
    await service.keys[change](workspaceId, keyId, TEST_ACTOR);
    for (const headers of [{}, { 'idempotency-key': 'revoked' }]) {
      const answer = await post(token, headers);
      expectFailure(answer, 'invalid_key');
      expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
      for (const name of ['etag', 'location']) expect(answer.headers).not.toHaveProperty(name);
    }
    expect(await recordsOf()).toEqual(before);
  });

  test('with 401 for a test key that was revoked', async () => {
    const { service, workspaceId } = world;
    const { keyId, token } = await service.issue(workspaceId, { access: 'write', mode: 'test' });
    expect((await post(token)).status).toBe(201);
    await service.keys.revoke(workspaceId, keyId, TEST_ACTOR);
    const answer = await post(token);
    expectFailure(answer, 'invalid_key');
    for (const name of ['etag', 'location', 'dry-run']) expect(answer.headers).not.toHaveProperty(name);
  });

  test('with 503 if the audit log cannot be written', async () => {
    const { pool } = world.service;
    for (const { name } of await listPartitions(pool)) await pool.query(`drop table ${name}`);
    for (const headers of [{}, { 'idempotency-key': 'unlogged' }]) {
      const answer = await post(world.live, headers);
      expectFailure(answer, 'unavailable');
      expect(answer.headers['retry-after']).toBe('1');
      for (const name of ['etag', 'location']) expect(answer.headers).not.toHaveProperty(name);
    }
    expect(await recordsOf()).toEqual(before);
    await ensurePartitions(pool, Date.now());
    expect((await post(world.live, { 'idempotency-key': 'unlogged' })).status).toBe(201);
  });

  // In a cluster, only migrations may create triggers.
  test.skipIf(inCluster())('if the commit fails, and the refusal has an entry', async () => {
    const { pool } = world.service;
    await pool.query(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'no' using errcode = 'query_canceled'; end $$;
      create constraint trigger refuse after insert on mentions deferrable initially deferred
      for each row execute function refuse()`);
    let answer: TestAnswer | undefined;
    const entries = await entriesOf(async () => {
      answer = await post(world.live, { 'idempotency-key': 'uncommitted' });
    });
    await pool.query('drop function refuse cascade');
    if (answer === undefined) throw new Error('there was no answer');
    expectFailure(answer, 'unavailable');
    expect(entries.map(({ status }) => status)).toEqual([503]);
    expect(await recordsOf()).toEqual(before);
  });
});
