import {
  type CopyStore,
  copyChanges,
  type Fetch,
  type Svc,
  SvcError,
  SvcPositionExpiredError,
} from '@svc/sdk';
import { importText } from '@svc/service/harness/import.ts';
import { createTestService } from '@svc/service/harness/service.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { clientOf, fetchOf } from '../client.ts';
import { Killed, listed, MemoryStore } from './store.ts';

/** The writes go on until the copy has been killed this many times. */
const KILLS_MIN = 12;
const KILLS_TIMEOUT_MS = 240_000;
const DAY_AND_A_BIT_MS = 25 * 60 * 60 * 1000;
const service = await createTestService();
let workspaceId: string;
let token: string;
let svc: Svc;

beforeEach(async () => {
  workspaceId = await service.workspace();
  token = await service.token(workspaceId, { access: 'write' });
  svc = clientOf(service.app, token);
  await svc.companies.createMany([
    { id: 'com_a', name: 'A' },
    { id: 'com_b', name: 'B' },
  ]);
});

const ONCE = { follow: false } as const;
const audit = (companyId: string) => ({ companyId, headlineScore: 5, completedAt: '2026-03-01T09:30:00Z' });
/** Removes what is older than now from the feed. */
const expire = () =>
  service.pool.query(
    `with clock as (update workspace_clocks set last_at = clock_timestamp() where workspace_id = $1 returning last_at)
     update companies set doc = doc where workspace_id = $1 and (select true from clock)`,
    [workspaceId],
  );

/** Writes, moves and deletes records. Each step depends only on its number. */
async function write(step: number): Promise<void> {
  const [here, there] = step % 2 === 0 ? ['com_a', 'com_b'] : ['com_b', 'com_a'];
  const id = `con_${step}`;
  await svc.content.create({ id, companyId: here, title: `Zürich \u2028 ${step}` });
  await svc.audits.createMany(Array.from({ length: 1 + (step % 7) * 30 }, () => audit(here)));
  if (step % 2 === 0) await svc.content.update(id, { companyId: there });
  if (step % 3 === 0) await svc.content.delete(id);
  if (step % 4 === 0) await svc.companies.update('com_a', { name: `A ${step}`, domain: 'a.example' });
  if (step % 5 === 0) {
    await svc.companies.create({ id: `com_${step}`, name: 'new' });
    await svc.companies.delete(`com_${step}`);
  }
  if (step % 6 !== 0) return;
  const lines = Array.from({ length: 150 }, (_, i) => ({
    id: `men_${step}_${i}`,
    companyId: i % 3 === 0 ? 'com_a' : 'com_b',
    source: 'a.example',
    url: 'https://a.example/',
    title: 'A',
    excerpt: 'x'.repeat(i),
    sentiment: 'neutral',
    publishedAt: '2026-01-01T00:00:00Z',
    // In the past: the lists have it at a place that was already read.
    createdAt: `2020-01-01T00:00:00.${String(step * 1_000 + i).padStart(6, '0')}Z`,
  }));
  const report = await importText(
    service.pool,
    workspaceId,
    'mentions',
    lines.map((line) => `${JSON.stringify(line)}\n`),
  );
  expect(report.lines).toEqual([]);
}

describe.each([true, false])('a copy, with transactions: %s', (transactions) => {
  test.each([null, 'com_a'])(
    'equals the lists, however often it is killed while records are written, moved, deleted and imported (key of %s)',
    async (companyId) => {
      for (let step = 0; step < 12; step += 1) await write(step);
      const reader = clientOf(service.app, await service.token(workspaceId, { companyId }));
      const memory = new MemoryStore(transactions);
      let kills = 0;
      let writing = true;
      let failed = false;
      const writer = (async () => {
        for (let step = 12; !failed && (step < 60 || kills < KILLS_MIN); step += 1) await write(step);
      })().finally(() => {
        writing = false;
      });
      for (let run = 1; writing; run += 1) {
        // Longer runs and shorter ones, so that it is killed while it reads lists and while it follows the feed.
        let left = (run * 37) % 400;
        memory.atCall = () => {
          left -= 1;
          if (left < 0) throw new Killed();
        };
        await copyChanges(reader, memory.store, ONCE).catch((error) => {
          failed ||= !(error instanceof Killed);
          if (failed) throw error;
          kills += 1;
        });
      }
      await writer;
      memory.atCall = () => undefined;
      await copyChanges(reader, memory.store, ONCE);
      expect(memory.content).toEqual(await listed(reader));
      expect(memory.content.length).toBeGreaterThan(1_000);
      expect(kills).toBeGreaterThan(10);
    },
    KILLS_TIMEOUT_MS,
  );
});

describe('a copy', () => {
  test('continues to read the lists where it was killed, also when its cursor has expired', async () => {
    await svc.audits.createMany(Array.from({ length: 350 }, () => audit('com_a')));
    const memory = new MemoryStore(true);
    let puts = 0;
    memory.atCall = () => {
      puts += 1;
      if (puts > 250) throw new Killed();
    };
    await expect(copyChanges(svc, memory.store, ONCE)).rejects.toThrow(Killed);
    const { position } = memory;
    expect(memory.content).toHaveLength(200);
    puts = -1_000;
    const pages: string[] = [];
    const fetch: Fetch = (url, init) => {
      pages.push(url);
      return fetchOf(service.app)(url, init);
    };
    await copyChanges(clientOf(service.app, token, { fetch }), memory.store, ONCE);
    expect(pages.filter((url) => url.includes('/audits'))).toHaveLength(2);
    expect(memory.content).toEqual(await listed(svc));

    const late = new MemoryStore(true);
    await late.store.savePosition(position);
    service.clock.now += DAY_AND_A_BIT_MS;
    await copyChanges(svc, late.store, ONCE);
    expect(late.content).toEqual(await listed(svc));
  });

  test('starts over when its position has expired, and removes what no longer exists', async () => {
    await svc.content.create({ id: 'con_1', companyId: 'com_a', title: 'One' });
    await svc.content.create({ id: 'con_2', companyId: 'com_b', title: 'Two' });
    const memory = new MemoryStore(true);
    await copyChanges(svc, memory.store, ONCE);
    await svc.content.delete('con_1');
    await svc.content.create({ id: 'con_3', companyId: 'com_b', title: 'Three' });
    await expire();
    await copyChanges(svc, memory.store, ONCE);
    expect(memory.content).toEqual(await listed(svc));
    expect(memory.content.join()).not.toContain('con_1');
  });

  test('fails if its position expires again and again', async () => {
    const fetch: Fetch = async (url, init) => {
      if (url.includes('after=chg_')) await expire();
      return fetchOf(service.app)(url, init);
    };
    const memory = new MemoryStore(true);
    const copied = copyChanges(clientOf(service.app, token, { fetch }), memory.store, ONCE);
    await expect(copied).rejects.toThrow(SvcPositionExpiredError);
    expect(JSON.parse(memory.position)[1]).toBe(3);
  });

  test('has only the resources that were asked for, and reads all lists again if they are others', async () => {
    await svc.audits.create(audit('com_a'));
    await svc.content.create({ id: 'con_1', companyId: 'com_a', title: 'One' });
    const memory = new MemoryStore(true);
    const only = async (...names: readonly string[]) => {
      await copyChanges(svc, memory.store, Object({ ...ONCE, resources: names }));
      const all = await listed(svc);
      expect(memory.content).toEqual(all.filter((text) => names.includes(text.split(' ')[0] ?? '')));
    };
    await only('content');
    await svc.audits.create(audit('com_a'));
    await svc.content.update('con_1', { title: 'Two' });
    await only('content');
    await only('audits', 'content');
    await only('audits');
  });

  test('follows the feed until its signal is aborted', async () => {
    const memory = new MemoryStore(false);
    const controller = new AbortController();
    const [following, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const store: CopyStore = {
      ...memory.store,
      savePosition: async (position) => {
        await memory.store.savePosition(position);
        // All lists were read.
        if (JSON.parse(position).length === 4) following.resolve();
        if (memory.content.join().includes('com_new')) arrived.resolve();
      },
    };
    const copied = copyChanges(svc, store, { signal: controller.signal });
    await Promise.race([following.promise, copied]);
    await svc.companies.create({ id: 'com_new', name: 'N' });
    await Promise.race([arrived.promise, copied]);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(copied).rejects.toBe(reason);
  });

  test('reads the list of a resource once that is named twice', async () => {
    const { store } = new MemoryStore(true);
    const lists: string[] = [];
    const controller = new AbortController();
    const fetch: Fetch = (url, init) => {
      const { pathname } = new URL(url);
      if (pathname !== '/v1/changes' && lists.push(pathname) > 3) controller.abort(new Error('too many'));
      return fetchOf(service.app)(url, init);
    };
    const resources = ['audits', 'companies', 'audits'] as const;
    const options = { ...ONCE, resources, signal: controller.signal };
    await copyChanges(clientOf(service.app, token, { fetch }), store, options);
    expect(lists).toEqual(['/v1/audits', '/v1/companies']);
  });

  test('refuses unknown resources and options, and a position that is not its own', async () => {
    const { store } = new MemoryStore(true);
    for (const options of [
      { resources: ['keys'] },
      { resources: [] },
      { resources: 'audits' },
      { folow: true },
    ])
      await expect(copyChanges(svc, store, Object(options))).rejects.toThrow(SvcError);
    for (const position of ['', 'chg_1', '[2]', '[1,1,["audits"],"chg_1","content",null]']) {
      const damaged = { ...store, loadPosition: () => position };
      await expect(copyChanges(svc, damaged)).rejects.toThrow('position of the copy is damaged');
    }
  });
});
