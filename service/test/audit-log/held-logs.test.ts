import type { InjectOptions } from 'fastify';
import type pg from 'pg';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newRequestEntries, requestEntries } from '../harness/entries.ts';
import { waitingForLocks } from '../harness/locks.ts';
import { createTestService, type TestAnswer, type TestService } from '../harness/service.ts';

let service: TestService;
let workspaceId: string;
let token: string;
beforeAll(async () => {
  service = await createTestService();
  workspaceId = await service.workspace();
  token = await service.token(workspaceId);
});

test('a workspace whose log is held delays no other, and continues when the log is free', async () => {
  const holder = await service.pool.connect();
  const other = await service.token(await service.workspace());
  try {
    await holder.query('begin');
    await holder.query('select 1 from live_meters where workspace_id = $1 for update', [workspaceId]);
    const held = [1, 2].map(() => service.request(token, '/v1/audits'));
    await expect.poll(() => waitingForLocks(service.pool)).toBe(1);
    expect((await service.request(other, '/v1/audits')).status).toBe(200);
    await holder.query('commit');
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
  } finally {
    holder.release();
  }
});

test('a workspace whose log is held for too long gets 503, and nothing is written', async () => {
  const holder = await service.pool.connect();
  const entries = await newRequestEntries(service.pool, workspaceId, async () => {
    try {
      await holder.query('begin');
      await holder.query('select 1 from live_meters where workspace_id = $1 for update', [workspaceId]);
      expect((await service.request(token, '/v1/audits')).status).toBe(503);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  });
  expect(entries).toEqual([]);
});

describe('several workspaces whose logs are held', () => {
  const HELD = 50;
  /** Enough for a release, a pause of the held logs and some writes on a slow machine; shorter than the wait of an entry. */
  const SOON_MS = 2_500;

  interface Held {
    readonly id: string;
    readonly token: string;
  }
  let workspaces: readonly Held[];
  let holders: readonly pg.PoolClient[];
  beforeEach(async () => {
    workspaces = await Promise.all(
      Array.from({ length: HELD }, async () => {
        const id = await service.workspace();
        return { id, token: await service.token(id) };
      }),
    );
    holders = [await service.pool.connect(), await service.pool.connect()];
  });
  afterEach(() => {
    // The end of its connection releases its locks.
    for (const holder of holders) holder.release(true);
  });

  const hold = async (
    holder: pg.PoolClient | undefined,
    held: readonly Held[],
    rows = LOG,
  ): Promise<void> => {
    await holder?.query('begin');
    // One by one, because a cluster locks rows of one node only.
    for (const { id } of held) expect((await holder?.query(rows, [id]))?.rowCount).toBe(1);
  };
  const LOG = 'select from live_meters where workspace_id = $1 for update';
  const KEYS = 'select from api_keys where workspace_id = $1 for update';

  /** Sends a request for each. Resolves once the groups continue without them. */
  const ask = async (held: readonly Held[]): Promise<Promise<TestAnswer>[]> => {
    const answers = held.map((each) => service.request(each.token, '/v1/audits'));
    await expect.poll(() => waitingForLocks(service.pool)).toBeGreaterThan(0);
    await expectSoon(token);
    return answers;
  };
  const expectSoon = async (by: string, options?: InjectOptions): Promise<void> => {
    const started = performance.now();
    expect((await service.request(by, '/v1/companies', options)).status).toBeLessThan(300);
    expect(performance.now() - started).toBeLessThan(SOON_MS);
  };

  test('one that is released gets its response at once, while the logs of the others are held', async () => {
    const [others, [released]] = [workspaces.slice(1), workspaces.slice(0, 1)] as const;
    if (released === undefined) throw new Error('there is no workspace');
    await hold(holders[0], others);
    await hold(holders[1], [released]);
    let answered = 0;
    const answers = await ask([...others, released]);
    for (const answer of answers.slice(0, -1)) void answer.then(() => (answered += 1));
    const started = performance.now();
    await holders[1]?.query('commit');
    expect((await answers.at(-1))?.status).toBe(200);
    expect({ answered, soon: performance.now() - started < SOON_MS }).toEqual({ answered: 0, soon: true });
    await holders[0]?.query('commit');
    expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('do not wait for rows of their keys, which another transaction has locked', async () => {
    await hold(holders[0], workspaces, KEYS);
    const answers = workspaces.map(({ token }) => service.request(token, '/v1/audits'));
    expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]));
    await holders[0]?.query('commit');
  });

  test('do not delay the writes or reads of a workspace whose log is free', async () => {
    const writer = await service.token(await service.workspace(), { access: 'write' });
    await hold(holders[0], workspaces);
    const answers = await ask(workspaces);
    const payload = { name: 'Acme' };
    for (let i = 0; i < 10; i++) {
      await expectSoon(writer, { method: 'POST', payload });
      await expectSoon(writer);
    }
    await holders[0]?.query('commit');
    expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('the entries of each workspace keep their order', async () => {
    const [held] = workspaces;
    if (held === undefined) throw new Error('there is no workspace');
    await hold(holders[0], workspaces);
    const answers = await ask(workspaces);
    const ids = Array.from({ length: 20 }, (_, i) => `in-order-${i}`);
    for (const id of ids) {
      answers.push(service.request(held.token, '/v1/audits', { headers: { 'request-id': id } }));
    }
    await holders[0]?.query('commit');
    await Promise.all(answers);
    const written = (await requestEntries(service.pool, held.id)).map(({ requestId }) => requestId);
    expect(written.filter((id) => id?.startsWith('in-order'))).toEqual(ids);
  });
});
