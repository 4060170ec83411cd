import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { COMPANY, OTHER_COMPANY } from '../harness/lists.ts';
import type { TestAnswer } from '../harness/service.ts';
import { newRecord, WRITES } from './cases.ts';
import { dumpOf } from './dump.ts';
import { createWriteWorld, type Method, type WriteWorld } from './world.ts';

let world: WriteWorld;
beforeAll(async () => {
  world = await createWriteWorld();
  for (const of of WRITES) await world.create(of, { id: 'there' });
});

interface Case {
  readonly what: string;
  readonly method: Method;
  readonly url: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
}

/** In an order in which a dry run and the real request after it get the same response. */
const CASES: readonly Case[] = WRITES.flatMap((of): Case[] => {
  const { path, resource } = of;
  const at = (id: string) => `${path}/${id}`;
  const [field] = of.fields.filter(({ required }) => required);
  const creates: Case[] = [
    { what: 'a record', method: 'POST', url: path, body: newRecord(of, { id: 'new' }), status: 201 },
    { what: 'a taken id', method: 'POST', url: path, body: newRecord(of, { id: 'there' }), status: 409 },
    {
      what: 'a bad field',
      method: 'POST',
      url: path,
      body: { ...newRecord(of), [field?.name ?? '']: {} },
      status: 400,
    },
    {
      what: 'a batch',
      method: 'POST',
      url: at('batch'),
      body: { data: [newRecord(of, { id: 'one' }), newRecord(of, { id: 'two' })] },
      status: 201,
    },
    { what: 'a put', method: 'PUT', url: at('put'), body: newRecord(of), status: 201 },
    { what: 'a put again', method: 'PUT', url: at('put'), body: newRecord(of), status: 200 },
    { what: 'a query', method: 'POST', url: `${path}?x=1`, body: newRecord(of), status: 400 },
    { what: 'broken JSON', method: 'POST', url: path, body: '{', status: 400 },
    {
      what: 'a bad Idempotency-Key',
      method: 'POST',
      url: path,
      body: newRecord(of),
      headers: { 'idempotency-key': 'a b' },
      status: 400,
    },
  ];
  const nowhere: Case[] =
    of.parent === undefined
      ? []
      : [
          {
            what: 'no company',
            method: 'POST',
            url: path,
            body: newRecord(of, { companyId: 'none' }),
            status: 400,
          },
        ];
  if (resource.immutable)
    return [
      ...creates,
      ...nowhere,
      { what: 'a change', method: 'PATCH', url: at('there'), body: {}, status: 405 },
    ];
  const text = 'title' in resource.fields ? 'title' : 'name';
  return [
    ...creates,
    ...nowhere,
    { what: 'a change', method: 'PATCH', url: at('there'), body: { [text]: 'New' }, status: 200 },
    { what: 'no change', method: 'PATCH', url: at('there'), body: {}, status: 200 },
    {
      what: 'a change of what has changed',
      method: 'PATCH',
      url: at('there'),
      body: { [text]: 'x' },
      headers: { 'if-match': '"x"' },
      status: 412,
    },
    { what: 'a change of nothing', method: 'PATCH', url: at('nothing'), body: {}, status: 404 },
    ...(resource.transitions === undefined
      ? []
      : [
          {
            what: 'a refused state',
            method: 'PATCH' as const,
            url: at('there'),
            body: { status: 'scheduled' },
            status: 409,
          },
        ]),
    ...(of.parent === undefined
      ? [{ what: 'a company with records', method: 'DELETE' as const, url: at(COMPANY), status: 409 }]
      : [
          {
            what: 'a move',
            method: 'PATCH' as const,
            url: at('there'),
            body: { companyId: OTHER_COMPANY },
            status: 200,
          },
        ]),
    {
      what: 'a batch of changes',
      method: 'PATCH',
      url: at('batch'),
      body: { data: [{ id: 'there', [text]: 'Newest' }] },
      status: 200,
    },
    {
      what: 'a batch of removals',
      method: 'POST',
      url: at('batch/delete'),
      body: { data: [{ id: 'put' }] },
      status: 204,
    },
    { what: 'a removal', method: 'DELETE', url: at('there'), status: 204 },
    { what: 'a removal of nothing', method: 'DELETE', url: at('nothing'), status: 404 },
  ];
});

const send = ({ method, url, body, headers = {} }: Case, token: string): Promise<TestAnswer> =>
  world.send(method, url, body, { token, headers });

/** What both responses must have in common: everything except the current times and what depends on them. */
function comparable({ status, headers, text }: TestAnswer): object {
  const { allow, location, 'content-type': type, 'cache-control': caching } = headers;
  const timeless = text.replace(/"(createdAt|updatedAt)":"[^"]+"/g, '"$1":"…"');
  return { status, allow, location, type, caching, timeless };
}

/** The tables with the use of keys, and tables that are compared without such columns. */
const COUNTED_APART = ['key_usage', 'traffic', 'usage_marks', 'api_keys', 'live_meters'];

/**
 * The whole database, except how a key is used: its requests per day and its last use are also counted for
 * test keys, and the row of the meter has the time of the last such write.
 */
async function everything(): Promise<object> {
  const { pool } = world.service;
  const all = await dumpOf(pool);
  const tables = Object.entries(all).filter(([name]) => !COUNTED_APART.includes(name));
  const { rows: keys } = await pool.query(
    `select to_jsonb(k) - 'last_used_at' as key from api_keys k order by id`,
  );
  const { rows: meters } = await pool.query(
    `select to_jsonb(m) - 'last_entry_at' - 'last_granted' as meter from live_meters m order by workspace_id`,
  );
  return { ...Object.fromEntries(tables), keys, meters };
}

describe.each(CASES)('a dry run of $what, $method $url', (each) => {
  test(`is answered as the real one is (${each.status}), and changes nothing`, async () => {
    const before = await everything();
    const dry = await send(each, world.sandbox);
    expect(await everything()).toEqual(before);
    expect(dry.headers['dry-run']).toBe(each.status < 300 ? 'true' : undefined);

    const real = await send(each, world.live);
    expect(real.status).toBe(each.status);
    expect(comparable(dry)).toEqual(comparable(real));
    expect(real.headers).not.toHaveProperty('dry-run');
    expect(await everything()).not.toEqual(before);
  });
});

describe('a dry run', () => {
  const [of] = WRITES;
  if (of === undefined) throw new Error('nothing can be written');

  test('stores no Idempotency-Key, and does not get a stored response', async () => {
    const headers = { 'idempotency-key': 'both' };
    const body = newRecord(of, { id: 'both' });
    const post = (token: string) => world.send('POST', of.path, body, { token, headers });
    for (const _ of [1, 2]) {
      const dry = await post(world.sandbox);
      expect({ status: dry.status, dry: dry.headers['dry-run'] }).toEqual({ status: 201, dry: 'true' });
      expect(dry.headers).not.toHaveProperty('idempotent-replayed');
    }
    expect((await post(world.live)).headers).not.toHaveProperty('idempotent-replayed');
    expectFailure(await post(world.sandbox), 'conflict');
    expect((await post(world.live)).headers['idempotent-replayed']).toBe('true');
  });

  test('at the same time as real writes does not affect them', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        world.send('POST', of.path, newRecord(of, { id: `race_${i >> 1}` }), {
          token: i % 2 === 0 ? world.sandbox : world.live,
        }),
      ),
    );
    const live = answers.filter((_, i) => i % 2 === 1);
    expect(live.map(({ status }) => status)).toEqual(live.map(() => 201));
    const { rows } = await world.service.pool.query(
      `select count(*)::int as records, count(distinct created_at)::int as times from audits
       where workspace_id = $1 and id like 'race_%'`,
      [world.workspaceId],
    );
    expect(rows).toEqual([{ records: 20, times: 20 }]);
  });

  test('is not stopped by a live quota that is used up', async () => {
    const { pool } = world.service;
    await pool.query('update live_meters set live_quota = 0 where workspace_id = $1', [world.workspaceId]);
    const dry = await world.send('POST', of.path, newRecord(of), { token: world.sandbox });
    expect(dry.status).toBe(201);
    expectFailure(await world.send('POST', of.path, newRecord(of)), 'quota_exceeded');
    await pool.query('update live_meters set live_quota = null where workspace_id = $1', [world.workspaceId]);
  });
});
