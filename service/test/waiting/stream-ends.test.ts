import { limitConnections } from '@svc/http-content/connections';
import { STREAM_HEARTBEAT_MS, WAITS_PER_KEY_MAX } from '@svc/sdk/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { STREAM_ENDS_WAITING_MAX } from '../../src/config/limits.ts';
import { expectFailure } from '../harness/answers.ts';
import { inCluster, waitingForLocks } from '../harness/locks.ts';
import { createTestService, TEST_ACTOR } from '../harness/service.ts';
import { listen } from '../harness/socket.ts';
import { openStream } from './event-stream.ts';
import { changesOf, createStreamWorld, errorOf, has, idsOf } from './world.ts';

const {
  fresh,
  world,
  dashboard,
  service,
  url,
  stream,
  write,
  now,
  seed,
  entries,
  closed,
  setQuota,
  used,
  waiting,
} = await createStreamWorld();
beforeEach(fresh);

describe('a stream of changes', () => {
  test('uses one unit of quota for each 100 changes, and ends when the quota is used up', async () => {
    const position = await now();
    await seed(1_000);
    const before = await used();
    await setQuota(before + 3);
    const opened = await stream(`?after=${position}`);
    await opened.ended;
    expect(errorOf(opened)).toBe('quota_exceeded');
    expect(changesOf(opened).filter(({ event }) => event !== 'error')).toHaveLength(300);
    expect(await used()).toBe(before + 3);
    expect(await closed()).toMatchObject({ changes: 300, reason: 'quota_exceeded' });
    // Where the stream ended, a client continues once there is quota.
    await setQuota(before + 1_000);
    const resumed = await stream('', { 'last-event-id': changesOf(opened).at(-2)?.id ?? '' });
    await has(resumed, 700);
    expect(new Set([...idsOf(resumed)]).size).toBe(700);
    resumed.close();
  });

  test('that ends together with others writes its entry after theirs, so that they fill no queue', async () => {
    const count = 20;
    const opened = await Promise.all(Array.from({ length: count }, () => stream()));
    await waiting(count);
    const client = await service.pool.connect();
    try {
      await client.query('begin');
      await client.query('select 1 from live_meters where workspace_id = $1 for update', [world.workspaceId]);
      for (const { close } of opened) close();
      await waiting(0);
      await expect.poll(() => waitingForLocks(service.pool)).toBeGreaterThan(0);
      const metrics = (await service.app.inject('/metrics')).body;
      expect(metrics).toMatch(/^svc_database_waiting_requests\{lane="writes"\} 0$/m);
      await client.query('rollback');
    } finally {
      client.release();
    }
    const ends = async () => (await entries()).filter(({ kind }) => kind === 'stream.closed').length;
    await expect.poll(ends).toBe(count);
  });

  test.each(['live', 'test'] as const)('ends within a second after its %s key is revoked', async (mode) => {
    const owner = await dashboard.owner();
    const issued = await service.issue(owner.workspaceId, { mode });
    const opened = await stream('', {}, issued.token);
    await expect.poll(() => opened.events.length).toBe(1);
    const started = performance.now();
    await owner.send('POST', `/workspaces/${owner.workspaceId}/keys/${issued.keyId}/revoke`, {});
    await opened.ended;
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(errorOf(opened)).toBe('invalid_key');
  });

  test.each(['live', 'test'] as const)(
    'ends within a second after its %s key excludes its client',
    async (mode) => {
      const owner = await dashboard.owner();
      const { keyId, token } = await service.issue(owner.workspaceId, {
        mode,
        allowedNetworks: ['127.0.0.0/8'],
      });
      const opened = await stream('', {}, token);
      await expect.poll(() => opened.events.length).toBe(1);
      const key = `/workspaces/${owner.workspaceId}/keys/${keyId}`;
      const started = performance.now();
      await owner.send('PATCH', key, { allowedNetworks: ['192.0.2.0/24'] });
      await opened.ended;
      expect(performance.now() - started).toBeLessThan(1_000);
      expect(errorOf(opened)).toBe('network_not_allowed');
    },
  );

  test('ends a few seconds after its key is revoked if no signal arrives, also if its client reads nothing', async () => {
    const [reads, paused] = [
      await stream(),
      await openStream(`${url}/v1/changes/stream`, world.key.token, {}, { paused: true }),
    ];
    await seed(300, 100_000);
    await has(reads, 1);
    await service.keys.revoke(world.workspaceId, world.key.keyId, TEST_ACTOR);
    await reads.ended;
    await waiting(0);
    paused.response.resume();
    await paused.ended;
    await expect
      .poll(async () => (await entries()).flatMap(({ details }) => details?.reason ?? []))
      .toEqual(['invalid_key', 'invalid_key']);
  });

  test('whose client reads nothing is disconnected, and its memory is bounded', async () => {
    const node = await createTestService({ database: service.database });
    limitConnections(node.app.server, { unreadTimeoutMs: 2_000 });
    const address = await listen(node);
    const position = await now();
    const paused = await openStream(
      `${address}/v1/changes/stream?after=${position}`,
      world.key.token,
      {},
      { paused: true },
    );
    // Much more than the buffers of a connection.
    for (let i = 0; i < 10; i++) await seed(100, 100_000);
    expect(await closed()).toMatchObject({ reason: 'client' });
    expect((await closed())?.changes).toBeLessThan(500);
    paused.close();
  });

  test('sends a comment while nothing happens, or nothing that its filters allow', async () => {
    const quiet = { opened: await stream(), token: world.key.token };
    await fresh();
    const busy = await stream('?type=content.created');
    const poll = { timeout: 2 * STREAM_HEARTBEAT_MS, interval: 500 };
    let written = 0;
    // The comments so far. Each time, another change that the filters of the busy stream leave out.
    const comments = async () => {
      expect((await write(`com_${written++}`)).status).toBe(201);
      return [...new Set([...quiet.opened.comments, ...busy.comments.map((comment) => `${comment} busy`)])];
    };
    await expect.poll(comments, poll).toEqual([': heartbeat', ': heartbeat busy']);
    const [first, last] = [busy.events.at(0)?.id ?? '', busy.events.at(-1)?.id ?? ''];
    // The client that resumes does not read again what the filters have left out.
    expect([busy.events.length, last > first, changesOf(busy)]).toEqual([2, true, []]);
    await write('com_a', quiet.token);
    await has(quiet.opened, 1);
    quiet.opened.close();
    busy.close();
  });

  test('ends without an error when the service shuts down', async () => {
    const node = await createTestService({ database: service.database });
    const address = await listen(node);
    const opened = await stream('', {}, world.key.token, address);
    await expect.poll(() => opened.events.length).toBe(1);
    const started = performance.now();
    await node.app.close();
    await opened.ended;
    expect(performance.now() - started).toBeLessThan(5_000);
    // Otherwise the shutdown would wait for clients that keep the connection of a busy stream.
    expect(opened.headers.connection).toBe('close');
    expect([errorOf(opened), opened.response.complete]).toEqual([undefined, true]);
    expect(await closed()).toMatchObject({ changes: 0, reason: 'shutdown' });
  });

  test('beyond the limit of its key is refused with 429', async () => {
    const opened = await Promise.all(Array.from({ length: WAITS_PER_KEY_MAX }, () => stream()));
    expectFailure(await service.request(world.key.token, '/v1/changes/stream'), 'rate_limited');
    for (const each of opened) each.close();
    await waiting(0);
  });

  // Citus has no triggers.
  test.skipIf(inCluster())('is refused with 429 while the entries of too many closed ones wait', async () => {
    const sandbox = await service.token(world.workspaceId, { mode: 'test' });
    const ends = async () => (await entries()).filter(({ kind }) => kind === 'stream.closed').length;
    await service.pool.query(`
      create function say_busy() returns trigger language plpgsql as
        $$ begin raise 'busy' using errcode = 'lock_not_available'; end $$;
      create trigger busy before insert on audit_log for each row when (new.kind = 'stream.closed')
        execute function say_busy()`);
    try {
      for (let closed = 0; closed < STREAM_ENDS_WAITING_MAX; closed += WAITS_PER_KEY_MAX) {
        const opened = await Promise.all(Array.from({ length: WAITS_PER_KEY_MAX }, () => stream()));
        for (const each of opened) each.close();
        await waiting(0);
      }
      const refused = await service.request(world.key.token, '/v1/changes/stream');
      expectFailure(refused, 'rate_limited', 'closed streams');
      // It writes no entries.
      const other = await stream('', {}, sandbox);
      expect(other.status).toBe(200);
      other.close();
      expect(await ends()).toBe(0);
    } finally {
      await service.pool.query('drop function say_busy() cascade');
    }
    await expect.poll(ends).toBe(STREAM_ENDS_WAITING_MAX);
    const allowed = await stream();
    expect(allowed.status).toBe(200);
    allowed.close();
  });
});
