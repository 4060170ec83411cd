import type { Svc } from '@svc/sdk';
import { bigQuery, COMPANY, LISTS, type ListCase } from '@svc/service/harness/lists.ts';
import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import { createTestService } from '@svc/service/harness/service.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clientOf } from '../client.ts';
import { collectionOf } from './lists.ts';

/**
 * During an iteration or a tail, records are added and deleted and days pass. In every case, a record that exists all
 * the time is yielded exactly once, in the order of the list, and no record is yielded twice.
 */

const DAY_AND_A_BIT_MS = 25 * 60 * 60 * 1000;
const RUNS = 20;
const service = await createTestService();

type Event =
  | { readonly kind: 'day' }
  | { readonly kind: 'add'; readonly count: number }
  /** Deletes the record at this index. Audits are never deleted. */
  | { readonly kind: 'remove'; readonly at: number }
  /** Replaces a tail by another one at its position. Has no effect on an iteration. */
  | { readonly kind: 'resume' };

const event = fc.oneof<fc.Arbitrary<Event>[]>(
  fc.constant({ kind: 'day' }),
  fc.record({ kind: fc.constant('add'), count: fc.integer({ min: 1, max: 120 }) }),
  fc.record({ kind: fc.constant('remove'), at: fc.nat(60) }),
  fc.constant({ kind: 'resume' }),
);

/** A list, how it is read, and the events after given numbers of yielded records. */
const story = fc.record({
  list: fc.constantFrom(...LISTS.filter(({ name }) => ['audits', 'mentions', 'content'].includes(name))),
  sort: fc.nat(5),
  direction: fc.constantFrom('forward', 'before'),
  limit: fc.integer({ min: 1, max: 9 }),
  records: fc.integer({ min: 0, max: 40 }),
  /** How many records share a time or a score. */
  ties: fc.integer({ min: 1, max: 5 }),
  events: fc.array(fc.tuple(fc.nat(30), event), { maxLength: 6 }),
});

interface Stage {
  readonly svc: Svc;
  readonly list: ListCase;
  /** Ids of the records that have existed from the beginning and still exist. */
  readonly lasting: Set<string>;
  readonly happen: (event: Event) => Promise<void>;
}

const time = (second: number, micros: number): string =>
  `2026-03-01T09:30:${String(second).padStart(2, '0')}.${String(micros).padStart(6, '0')}Z`;

async function stage(list: ListCase, records: number, ties: number): Promise<Stage> {
  const workspaceId = await service.workspace();
  const { pool, clock } = service;
  await seedRecords(pool, workspaceId, resourceNamed('companies'), [{ id: COMPANY, createdAt: time(0, 0) }]);
  let made = 0;
  const add = async (count: number, second: number): Promise<readonly string[]> => {
    const rows = Array.from({ length: count }, () => {
      made += 1;
      const tie = Math.floor(made / ties);
      const own = list.name === 'audits' ? { headlineScore: tie % 7, completedAt: time(tie % 5, 0) } : {};
      const published = list.name === 'mentions' ? { publishedAt: time(tie % 5, tie % 3) } : {};
      // Later records have later times, but their ids are in no order.
      const id = `${list.resource.idPrefix}_${(made * 7919) % 10_007}`;
      return {
        id,
        companyId: COMPANY,
        createdAt: time(second, second === 0 ? tie : made),
        ...own,
        ...published,
      };
    });
    await seedRecords(pool, workspaceId, list.resource, rows);
    return rows.map(({ id }) => id);
  };
  const lasting = new Set(await add(records, 0));
  return {
    svc: clientOf(service.app, await service.token(workspaceId, { mode: 'test' })),
    list,
    lasting,
    async happen(event) {
      if (event.kind === 'day') clock.now += DAY_AND_A_BIT_MS;
      if (event.kind === 'add') await add(event.count, 30);
      if (event.kind === 'remove' && list.name !== 'audits') {
        const all = await bigQuery(pool, workspaceId, list);
        const id = all[event.at % Math.max(1, all.length)];
        await pool.query(`delete from ${list.resource.list.relation} where workspace_id = $1 and id = $2`, [
          workspaceId,
          id,
        ]);
        if (id !== undefined) lasting.delete(id);
      }
    },
  };
}

function expectOnce(given: readonly string[], { lasting }: Stage, order: readonly string[]): void {
  expect(new Set(given).size).toBe(given.length);
  const expected = order.filter((id) => lasting.has(id));
  expect(given.filter((id) => lasting.has(id))).toEqual(expected);
}

test('an iteration yields every record that is not deleted exactly once, whatever happens in the meantime', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(story, async ({ list, sort: choice, direction, limit, records, ties, events }) => {
      const set = await stage(list, records, ties);
      const sort = list.sorts[choice % list.sorts.length] ?? 'created-descending';
      const forward = collectionOf(set.svc, list.name).list({
        limit,
        ...(list.sorts.length > 1 ? { sort } : {}),
      });
      const given: string[] = [];
      for await (const { id } of direction === 'before' ? forward.before() : forward) {
        given.push(id);
        for (const [after, one] of events) if (after === given.length) await set.happen(one);
      }
      const order: string[] = [];
      for await (const { id } of forward) order.push(id);
      expectOnce(given, set, direction === 'before' ? order.toReversed() : order);
    }),
    { numRuns: RUNS },
  );
});

test('a tail yields every record that is not deleted exactly once, in the order of creation, whatever happens in the meantime', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(story, async ({ list, records, ties, events }) => {
      const set = await stage(list, records, ties);
      const { tail } = collectionOf(set.svc, list.name);
      const given: string[] = [];
      const due = [...events];
      let current = tail({ follow: false });
      const goOn = async (): Promise<boolean> => {
        for await (const { id } of current) {
          given.push(id);
          let resume = false;
          for (const [i, [after, one]] of due.entries()) {
            if (after > given.length) continue;
            due.splice(i, 1);
            await set.happen(one);
            resume = one.kind === 'resume';
            break;
          }
          if (resume) return true;
        }
        return false;
      };
      while (await goOn()) current = tail({ after: current.position, follow: false });
      // The next tail yields the records that were added last. No more events happen.
      due.splice(0);
      current = tail({ after: current.position, follow: false });
      await goOn();
      const order: string[] = [];
      for await (const { id } of collectionOf(set.svc, list.name).list().before()) order.push(id);
      expectOnce(given, set, order);
      expect(order.filter((id) => !given.includes(id))).toEqual([]);
    }),
    { numRuns: RUNS },
  );
});
