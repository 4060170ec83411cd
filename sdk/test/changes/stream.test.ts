import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import {
  type Change,
  type RetryEvent,
  Svc,
  SvcError,
  SvcInvalidKeyError,
  SvcInvalidParameterError,
  type SvcOptions,
  SvcPositionExpiredError,
  SvcQuotaExceededError,
} from '@svc/sdk';
import { onFileEnd } from '@svc/service/harness/cleanup.ts';
import { createTestService, TEST_ACTOR } from '@svc/service/harness/service.ts';
import { listen, portOf } from '@svc/service/harness/socket.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { countedSignal } from '../client.ts';

const service = await createTestService();
const url = await listen(service);
let workspaceId: string;
let key: { readonly keyId: string; readonly token: string };
let svc: Svc;

const clientOf = (options: SvcOptions = {}): Svc => new Svc({ apiKey: key.token, baseUrl: url, ...options });

beforeEach(async () => {
  workspaceId = await service.workspace();
  key = await service.issue(workspaceId, { access: 'write' });
  svc = clientOf();
});

const DONE = { done: true, value: undefined };
const company = (id: string) => svc.companies.create({ id, name: id });
const companies = async (from: number, to: number): Promise<readonly string[]> => {
  const ids = Array.from({ length: to - from }, (_, i) => `com_${String(from + i).padStart(4, '0')}`);
  await svc.companies.createMany(ids.map((id) => ({ id, name: id })));
  return ids;
};
/** The ids of the records of the next changes. */
async function take(changes: AsyncIterable<Change>, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  if (count === 0) return ids;
  for await (const { recordId } of changes) if (ids.push(recordId) === count) break;
  return ids;
}
/** Resolves once this number of requests wait for changes at the service. */
const waiting = (count: number): Promise<void> =>
  expect
    .poll(async () => /^svc_waiting_requests (\d+)$/m.exec((await service.app.inject('/metrics')).body)?.[1])
    .toBe(String(count));

describe('a stream of changes', () => {
  test('yields every stored change, then each one as it is committed, and its position is exact', async () => {
    const ids = await companies(0, 130);
    const stream = svc.changes.stream();
    expect(stream.position).toBe('start');
    const seen: string[] = [];
    const positions: string[] = [];
    for await (const { id, recordId } of stream) {
      expect(stream.position).toBe(id);
      seen.push(recordId);
      positions.push(stream.position);
      if (seen.length >= 130 && seen.length < 133) await company(`com_new_${seen.length}`);
      if (seen.length === 133) break;
    }
    const all = [...ids, 'com_new_130', 'com_new_131', 'com_new_132'];
    expect(seen).toEqual(all);
    for (const i of [0, 50, 99, 100, 131])
      expect(await take(svc.changes.stream({ after: positions[i] }), 132 - i)).toEqual(all.slice(i + 1));
    expect(await take(svc.changes.tail({ after: positions[99], follow: false }), 33)).toEqual(all.slice(100));
    await waiting(0);
  });

  test('with `now` begins after the newest change, and its position can be stored before the next one', async () => {
    await company('com_a');
    const stream = svc.changes.stream({ after: 'now' });
    expect(stream.position).toBe('now');
    await stream.begin();
    const { position } = stream;
    await company('com_b');
    expect(await take(stream, 1)).toEqual(['com_b']);
    expect(await take(svc.changes.stream({ after: position }), 1)).toEqual(['com_b']);
  });

  test.each([
    [{ resource: 'content' }, ['con_1', 'con_1']],
    [{ type: 'content.updated' }, ['con_1']],
    [{ companyId: 'com_b' }, ['com_b', 'con_1']],
  ] as const)('filters: %j', async (filter, expected) => {
    const { position } = (await svc.changes.list({ after: 'now' })).pagination;
    await company('com_a');
    await company('com_b');
    await svc.content.create({ id: 'con_1', companyId: 'com_a', title: 'One' });
    await svc.content.update('con_1', { companyId: 'com_b' });
    for (const after of ['start', position])
      expect(await take(svc.changes.stream({ after, ...filter }), expected.length)).toEqual(expected);
  });

  test('moves its position on while a filter leaves out all changes', async () => {
    const stream = svc.changes.stream({ after: 'start', resource: 'audits' });
    const pages = stream.pages();
    await pages.next();
    const before = stream.position;
    await companies(0, 40);
    const waited = svc.changes.stream({ after: before, resource: 'audits' });
    const later = waited.pages();
    while (waited.position === before) expect((await later.next()).value).toEqual([]);
    await Promise.all([pages.return(), later.return()]);
    expect(waited.position > before).toBe(true);
  });

  test('has no gap and no repeat when its connection is cut at any byte, while others write', async () => {
    // A real connection that ends after so many bytes of the response, in the middle of lines and characters too.
    const cuts = Array.from({ length: 25 }, (_, i) => 150 + ((i * 7_919) % 6_000));
    const proxy = createServer((socket) => {
      const upstream = connect(Number(new URL(url).port), '127.0.0.1');
      let left = cuts.shift() ?? Number.POSITIVE_INFINITY;
      const end = (): void => void [socket.destroy(), upstream.destroy()];
      for (const one of [socket, upstream]) one.on('error', end).on('close', end);
      socket.pipe(upstream);
      upstream.on('data', (bytes: Buffer) => {
        const part = bytes.subarray(0, left);
        left -= part.length;
        socket.write(part, () => left <= 0 && end());
      });
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    onFileEnd(async () => void proxy.close());
    const retries: RetryEvent[] = [];
    const cut = clientOf({
      baseUrl: `http://127.0.0.1:${portOf(proxy)}`,
      retries: 30,
      onRetry: (event) => retries.push(event),
      timing: { sleep: async () => undefined },
    });
    const { position } = (await svc.changes.list({ after: 'now' })).pagination;
    const written = (async () => {
      const ids: string[] = [];
      for (let i = 0; i < 12; i += 1) ids.push(...(await companies(i * 25, (i + 1) * 25)));
      return ids;
    })();
    const seen = await take(cut.changes.stream({ after: position }), 300);
    expect(seen).toEqual(await written);
    expect(cuts).toEqual([]);
    expect(retries.length).toBeGreaterThan(20);
    expect(new Set(retries.map(({ path }) => path.split('?')[0]))).toEqual(new Set(['/v1/changes/stream']));
  });

  test('ends with SvcInvalidKeyError when its key is revoked, and does not connect again', async () => {
    const stream = svc.changes.stream({ after: 'now' })[Symbol.asyncIterator]();
    const next = stream.next();
    await waiting(1);
    await service.keys.revoke(workspaceId, key.keyId, TEST_ACTOR);
    await expect(next).rejects.toThrow(SvcInvalidKeyError);
    expect(await stream.next()).toEqual(DONE);
  });

  test('throws SvcPositionExpiredError if the changes after its position are gone', async () => {
    await company('com_a');
    const { position } = (await svc.changes.list({ after: 'now' })).pagination;
    await service.pool.query(
      `with clock as (update workspace_clocks set last_at = clock_timestamp() where workspace_id = $1 returning last_at)
       update companies set doc = doc where workspace_id = $1 and (select true from clock)`,
      [workspaceId],
    );
    const refused = take(svc.changes.stream({ after: position }), 1);
    await expect(refused).rejects.toThrow(SvcPositionExpiredError);
    await expect(refused).rejects.toMatchObject({ status: 410, code: 'position_expired' });
  });

  test('throws SvcQuotaExceededError when its quota is used up, after every change that was paid for', async () => {
    await companies(0, 350);
    const { rows } = await service.pool.query<{ used: number }>(
      'select live_requests as used from live_meters where workspace_id = $1',
      [workspaceId],
    );
    const quota = (rows[0]?.used ?? 0) + 3;
    await service.pool.query('update live_meters set live_quota = $2 where workspace_id = $1', [
      workspaceId,
      quota,
    ]);
    const seen: string[] = [];
    const read = async (): Promise<void> => {
      for await (const { recordId } of svc.changes.stream()) seen.push(recordId);
    };
    await expect(read()).rejects.toThrow(SvcQuotaExceededError);
    // One request for the first page of 100, and two units of the stream.
    expect(seen).toHaveLength(300);
  });

  test('refuses a position of another workspace, and options that it does not have', async () => {
    await expect(take(svc.changes.stream({ after: 'x' }), 1)).rejects.toThrow(SvcInvalidParameterError);
    const refused = [{ after: '' }, { after: 7 }, { limit: 5 }, { wait: 5 }, { follow: true }];
    for (const options of [...refused, { cursor: 'x' }])
      expect(() => svc.changes.stream(Object(options))).toThrow(SvcError);
    await expect(take(svc.changes.stream(Object({ misspelt: 'x' })), 1)).rejects.toThrow('misspelt');
  });
});

describe('a stream that waits for a change', () => {
  test('is ended by `return` at once, and so is its connection', async () => {
    const stream = svc.changes.stream({ after: 'now' })[Symbol.asyncIterator]();
    const pending = [stream.next(), stream.next()];
    await waiting(1);
    expect(await stream.return()).toEqual(DONE);
    expect(await Promise.all(pending)).toEqual([DONE, DONE]);
    await waiting(0);
  });

  test('throws the reason of its signal at once, and leaves no listener', async () => {
    const controller = new AbortController();
    const stream = svc.changes.stream({ after: 'now', signal: controller.signal }).pages();
    const next = (async () => {
      for await (const _ of stream);
    })();
    await waiting(1);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(next).rejects.toBe(reason);
    await waiting(0);
    const { signal, listeners } = countedSignal();
    await company('com_a');
    const { position } = (await svc.changes.list({ after: 'now' })).pagination;
    await company('com_b');
    expect(await take(svc.changes.stream({ after: position, signal }), 1)).toEqual(['com_b']);
    expect(listeners()).toBe(0);
  });

  test('goes on when its service shuts down and another one serves its address', async () => {
    const first = await createTestService({ database: service.database });
    const address = await listen(first);
    const { promise: retried, resolve } = Promise.withResolvers<RetryEvent>();
    const client = clientOf({ baseUrl: address, onRetry: resolve });
    const stream = client.changes.stream({ after: 'now' })[Symbol.asyncIterator]();
    const next = stream.next();
    await expect
      .poll(async () => (await first.app.inject('/metrics')).body)
      .toContain('svc_waiting_requests 1');
    await first.app.close();
    await retried;
    await company('com_a');
    const second = await createTestService({ database: service.database });
    await second.app.listen({ host: '127.0.0.1', port: Number(new URL(address).port) });
    expect((await next).value).toMatchObject({ recordId: 'com_a', type: 'company.created' });
    await stream.return();
  });
});
