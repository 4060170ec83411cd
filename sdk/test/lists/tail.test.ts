import { randomBytes } from 'node:crypto';
import { type Svc, SvcCursorMismatchError, SvcError, type Tail } from '@svc/sdk';
import { bigQuery, COMPANY, LISTS, type ListCase, OTHER_COMPANY } from '@svc/service/harness/lists.ts';
import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import { createTestService } from '@svc/service/harness/service.ts';
import { freezeLastUse, seedWorkspace } from '@svc/service/harness/world.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { clientOf } from '../client.ts';
import { type AnyItem, collect, collectionOf, idsOf } from './lists.ts';

const DAY_AND_A_BIT_MS = 25 * 60 * 60 * 1000;
const service = await createTestService();
let workspaceId: string;
let svc: Svc;
/** Runs in place of each pause between two polls. */
let atPause: (pause: number) => Promise<void> | void;
let pauses: number;

beforeEach(async () => {
  workspaceId = await service.workspace();
  await seedWorkspace(service, workspaceId);
  const token = await service.token(workspaceId, { mode: 'test' });
  await freezeLastUse(service);
  [pauses, atPause] = [0, () => undefined];
  const sleep = async (): Promise<void> => {
    pauses += 1;
    await atPause(pauses);
  };
  svc = clientOf(service.app, token, { timing: { sleep } });
});

const expireCursors = (): void => {
  service.clock.now += DAY_AND_A_BIT_MS;
};

const createdOrder = async (list: ListCase): Promise<readonly string[]> =>
  bigQuery(service.pool, workspaceId, list, { sort: 'created-ascending' });

let added = 0;
/** Adds audits, each newer than all before it. */
async function addAudits(count: number, companyId = COMPANY): Promise<readonly string[]> {
  const rows = Array.from({ length: count }, () => {
    added += 1;
    return {
      id: `aud_new_${added}`,
      companyId,
      createdAt: `2026-05-01T00:00:00.${String(added).padStart(6, '0')}Z`,
    };
  });
  await seedRecords(service.pool, workspaceId, resourceNamed('audits'), rows);
  return rows.map(({ id }) => id);
}

/** The next ids of an iteration. The iteration stays open. */
async function take(items: AsyncIterator<AnyItem>, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const { value, done } = await items.next();
    if (done === true) break;
    ids.push(value.id);
  }
  return ids;
}

const iterate = (tail: Tail<AnyItem>): AsyncIterator<AnyItem> => tail[Symbol.asyncIterator]();

describe.each(LISTS)('$name', (list) => {
  const options = { follow: false };

  test('yields every existing record, in the order of creation', async () => {
    expect(await idsOf(collectionOf(svc, list.name).tail(options))).toEqual(await createdOrder(list));
  });

  test('continues at the position after any record, at once and after more than a day', async () => {
    const expected = await createdOrder(list);
    const tail = collectionOf(svc, list.name).tail(options);
    const positions: string[] = [tail.position];
    for await (const _ of tail) positions.push(tail.position);
    const resume = async (after: string) => idsOf(collectionOf(svc, list.name).tail({ ...options, after }));
    for (const [i, position] of positions.entries())
      expect(await resume(position)).toEqual(expected.slice(i));
    expireCursors();
    for (const [i, position] of positions.entries())
      expect(await resume(position)).toEqual(expected.slice(i));
  });
});

test('yields existing records, then new ones, however the new records are spread over polls', async () => {
  const there = await idsOf(svc.audits.tail({ follow: false }));
  const come: string[] = [];
  const batches = [1, 0, 150, 2, 100, 0, 0, 7];
  atPause = async (pause) => void come.push(...(await addAudits(batches[pause - 1] ?? 0)));
  const total = there.length + batches.reduce((sum, count) => sum + count, 0);
  const ids = await take(iterate(svc.audits.tail()), total);
  expect(ids).toEqual([...there, ...come]);
  expect(pauses).toBe(batches.length);
});

test('`now` yields only new records', async () => {
  let come: readonly string[] = [];
  atPause = async () => {
    come = await addAudits(3);
  };
  expect(await take(iterate(svc.audits.tail({ after: 'now' })), 3)).toEqual(come);
  expect(pauses).toBe(1);
});

test('`now` can be stored before any new record exists, and is exact from then on', async () => {
  const tail = svc.audits.tail({ after: 'now' });
  expect(tail.position).toBe('now');
  await tail.begin();
  const stored = tail.position;
  const come = await addAudits(3);
  expect(await idsOf(svc.audits.tail({ after: stored, follow: false }))).toEqual(come);
  expect(await take(iterate(tail), 3)).toEqual(come);
});

test.each(['start', 'now'])('after %s, a tail of an empty list yields its first record', async (after) => {
  await service.pool.query('delete from audits where workspace_id = $1', [workspaceId]);
  let come: readonly string[] = [];
  atPause = async (pause) => {
    if (pause === 3) come = await addAudits(3);
  };
  expect(await take(iterate(svc.audits.tail({ after })), 3)).toEqual(come);
});

test('a day between two polls does not make it skip or repeat a record', async () => {
  const there = await idsOf(svc.audits.tail({ follow: false }));
  const come: string[] = [];
  atPause = async () => {
    expireCursors();
    come.push(...(await addAudits(120)));
  };
  const ids = await take(iterate(svc.audits.tail()), there.length + 360);
  expect(ids).toEqual([...there, ...come]);
});

test('`now` keeps its position over a day without new records', async () => {
  let come: readonly string[] = [];
  atPause = async (pause) => {
    expireCursors();
    if (pause === 2) come = await addAudits(2);
  };
  expect(await take(iterate(svc.audits.tail({ after: 'now' })), 2)).toEqual(come);
});

test('a position in the middle of a page stays exact while records are created and deleted', async () => {
  const list = LISTS.find(({ name }) => name === 'mentions');
  if (list === undefined) throw new Error('there are no mentions');
  const expected = await createdOrder(list);
  const tail = svc.mentions.tail();
  const items = iterate(tail);
  const given = await take(items, 6);
  const { position } = tail;
  await service.pool.query('delete from mentions where workspace_id = $1 and id = any($2)', [
    workspaceId,
    given.slice(2),
  ]);
  const rest = async () => idsOf(svc.mentions.tail({ after: position, follow: false }));
  expect(await rest()).toEqual(expected.slice(6));
  expireCursors();
  expect(await rest()).toEqual(expected.slice(6));
  await service.pool.query('delete from mentions where workspace_id = $1 and id = any($2)', [
    workspaceId,
    given,
  ]);
  expect(await rest()).toEqual(expected.slice(6));
});

test('a position is short enough for a column or a header, even with the longest ids and filters', async () => {
  /** The lengths of the positions after 20 audits and 20 mentions of one company, with a key that is limited to it. */
  const lengths = async (random: number, texts: { readonly source: string; readonly q: string }) => {
    const idOf = (prefix: string): string => `${prefix}_${randomBytes(random).toString('hex')}`;
    const [companyId, createdAt] = [idOf('com'), '2027-01-01T00:00:00.123456Z'];
    await seedRecords(service.pool, workspaceId, resourceNamed('companies'), [{ id: companyId, createdAt }]);
    for (const [name, fields] of [
      ['audits', {}],
      ['mentions', { source: texts.source, title: texts.q }],
    ] as const) {
      const resource = resourceNamed(name);
      const row = () => ({ ...fields, id: idOf(resource.idPrefix), companyId, createdAt });
      await seedRecords(service.pool, workspaceId, resource, Array.from({ length: 20 }, row));
    }
    const limited = clientOf(service.app, await service.token(workspaceId, { mode: 'test', companyId }));
    const audits = limited.audits.tail({ follow: false, companyId });
    const mentions = limited.mentions.tail({ ...texts, follow: false, companyId });
    expect([(await collect(audits)).length, (await collect(mentions)).length]).toEqual([20, 20]);
    return [audits.position.length, mentions.position.length] as const;
  };
  // Ids as the service creates them have 26 characters after the prefix, and the longest have 60.
  for (const length of await lengths(13, { source: 'web', q: 'plant' })) expect(length).toBeLessThan(1_500);
  for (const length of await lengths(30, { source: 'web', q: 'plant' })) expect(length).toBeLessThan(2_500);
  // No other characters take more space.
  const longest = { source: '\u0001'.repeat(200), q: 'plant'.padEnd(100, '\u0001') };
  for (const length of await lengths(30, longest)) expect(length).toBeLessThan(5_000);
});

test('a tail that was stopped in the middle of a page continues there when it is iterated again', async () => {
  const expected = await idsOf(svc.audits.tail({ follow: false }));
  const tail = svc.audits.tail({ follow: false });
  for await (const { id } of tail) if (id === expected[4]) break;
  expect(await idsOf(tail)).toEqual(expected.slice(5));
});

test('`pages` yields the same records, and the position after each page is exact', async () => {
  await addAudits(230);
  const expected = await idsOf(svc.audits.tail({ follow: false }));
  const tail = svc.audits.tail({ follow: false });
  const ids: string[] = [];
  for await (const page of tail.pages()) {
    ids.push(...page.map(({ id }) => id));
    const rest = await idsOf(svc.audits.tail({ after: tail.position, follow: false }));
    expect(rest).toEqual(expected.slice(ids.length));
  }
  expect(ids).toEqual(expected);
});

test('a filter applies to existing and new records', async () => {
  const there = await idsOf(svc.audits.tail({ follow: false, companyId: OTHER_COMPANY }));
  expect(there.length).toBeGreaterThan(0);
  let come: readonly string[] = [];
  atPause = async () => {
    await addAudits(2);
    come = await addAudits(2, OTHER_COMPANY);
  };
  const ids = await take(iterate(svc.audits.tail({ companyId: OTHER_COMPANY })), there.length + 2);
  expect(ids).toEqual([...there, ...come]);
});

test('a position of another list or filter, or an invalid position, is refused', async () => {
  const tail = svc.audits.tail({ follow: false });
  await collect(tail);
  expect(() => svc.mentions.tail({ after: tail.position })).toThrow(
    'is a position in audits, not in mentions',
  );
  for (const after of ['', 'nonsense', btoa('[2]'), btoa('{}')])
    expect(() => svc.audits.tail({ after })).toThrow(SvcError);
  const other = svc.audits.tail({ after: tail.position, companyId: COMPANY });
  await expect(iterate(other).next()).rejects.toThrow(SvcCursorMismatchError);
});

test('it stops at once when its signal is aborted, even between two records of a page', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  const items = iterate(svc.audits.tail({ signal: controller.signal }));
  await take(items, 2);
  controller.abort(reason);
  await expect(items.next()).rejects.toBe(reason);
  await expect(items.next()).resolves.toMatchObject({ done: true });
});
