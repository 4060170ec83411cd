import { type RestartEvent, type Svc, SvcCursorExpiredError, SvcPositionLostError } from '@svc/sdk';
import { bigQuery, COMPANY, LISTS, type ListCase } from '@svc/service/harness/lists.ts';
import { resourceNamed, seedRecords } from '@svc/service/harness/records.ts';
import { createWorld, type World } from '@svc/service/harness/world.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { clientOf } from '../client.ts';
import { type AnyItem, collectionOf, idsOf } from './lists.ts';

const PAGE = 4;
const DAY_AND_A_BIT_MS = 25 * 60 * 60 * 1000;
const world = await createWorld();
const { service, workspaceId } = world;
const restarts: RestartEvent[] = [];
const svc: Svc = clientOf(service.app, world.token, { onRestart: (event) => restarts.push(event) });
afterEach(() => restarts.splice(0));

const expireCursors = ({ service: { clock } }: World): void => {
  clock.now += DAY_AND_A_BIT_MS;
};

/** Returns the ids of all items. Runs `meanwhile` when it has received the first `after` items. */
async function idsWithPause(
  items: AsyncIterable<AnyItem>,
  after: number,
  meanwhile: (given: readonly string[]) => Promise<void> | void,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { id } of items) {
    ids.push(id);
    if (ids.length === after) await meanwhile(ids);
  }
  return ids;
}

const CASES = LISTS.flatMap((list) =>
  list.sorts.flatMap((sort) =>
    (['forward', 'before'] as const).map((direction) => ({ list, sort, direction })),
  ),
).map((one) => ({ ...one, name: `${one.list.name} by ${one.sort}, ${one.direction}` }));

const listOf = (client: Svc, { name, sorts }: ListCase, sort: string, direction: string) => {
  const list = collectionOf(client, name).list({ limit: PAGE, ...(sorts.length > 1 ? { sort } : {}) });
  return direction === 'before' ? list.before() : list;
};

describe.each(CASES)('$name', ({ list, sort, direction }) => {
  test('an iteration whose cursor expires, at any position, yields every record exactly once', async () => {
    const order = await bigQuery(service.pool, workspaceId, list, { sort });
    const expected = direction === 'before' ? order.toReversed() : order;
    for (const after of [1, PAGE, PAGE + 1, 2 * PAGE, expected.length - 1, expected.length]) {
      restarts.splice(0);
      expect(
        await idsWithPause(listOf(svc, list, sort, direction), after, () => expireCursors(world)),
      ).toEqual(expected);
      const onLastPage = after > Math.floor((expected.length - 1) / PAGE) * PAGE;
      expect(restarts.map(({ list: name }) => name)).toEqual(onLastPage ? [] : [list.name]);
    }
  });
});

describe('while an iteration pauses for more than a day', () => {
  const rows = (list: ListCase, createdAt: string, count: number) =>
    Array.from({ length: count }, (_, i) => ({
      id: `${list.resource.idPrefix}_late_${i}`,
      companyId: COMPANY,
      createdAt,
    }));

  test.each(LISTS.filter(({ name }) => name !== 'api-keys'))(
    'records of $name that are added at the beginning of the list are not yielded, and none is repeated',
    async (list) => {
      const expected = await bigQuery(service.pool, workspaceId, list);
      const ids = await idsWithPause(
        listOf(svc, list, 'created-descending', 'forward'),
        PAGE + 2,
        async () => {
          await seedRecords(
            service.pool,
            workspaceId,
            list.resource,
            rows(list, '2026-04-01T00:00:00Z', PAGE + 1),
          );
          expireCursors(world);
        },
      );
      expect(ids).toEqual(expected);
      expect(restarts).toHaveLength(1);
    },
  );

  test.each(LISTS.filter(({ name }) => name === 'mentions' || name === 'content'))(
    'records of $name are deleted, including the last yielded one: the others are yielded once',
    async (list) => {
      const expected = await bigQuery(service.pool, workspaceId, list);
      const remove = async (ids: readonly string[]): Promise<void> => {
        await service.pool.query(
          `delete from ${list.resource.list.relation} where workspace_id = $1 and id = any($2)`,
          [workspaceId, ids],
        );
        expireCursors(world);
      };
      const gone = expected.slice(PAGE - 1, 2 * PAGE + 2);
      const ids = await idsWithPause(listOf(svc, list, 'created-descending', 'forward'), PAGE + 2, () =>
        remove(gone),
      );
      // Records that were loaded before they were deleted are yielded.
      const missing = gone.filter((id) => expected.indexOf(id) >= 2 * PAGE);
      expect(missing.length).toBeGreaterThan(0);
      expect(ids).toEqual(expected.filter((id) => !missing.includes(id)));
    },
  );

  test('an iteration over audits by creation continues after the last yielded one that still exists', async () => {
    const list = LISTS[0];
    if (list?.name !== 'audits') throw new Error('audits are the first list');
    const expected = await bigQuery(service.pool, workspaceId, list);
    const ids = await idsWithPause(
      listOf(svc, list, 'created-descending', 'forward'),
      2 * PAGE,
      async (given) => {
        await service.pool.query('delete from audits where workspace_id = $1 and id = any($2)', [
          workspaceId,
          given.slice(-3),
        ]);
        expireCursors(world);
      },
    );
    expect(ids).toEqual(expected);
  });

  test('an iteration over audits by creation throws SvcPositionLostError if all its records were deleted', async () => {
    const iteration = idsWithPause(svc.audits.list({ limit: PAGE }), PAGE, async (given) => {
      await service.pool.query('delete from audits where workspace_id = $1 and id = any($2)', [
        workspaceId,
        given,
      ]);
      expireCursors(world);
    });
    await expect(iteration).rejects.toThrow(SvcPositionLostError);
  });
});

test('an iteration may pause for a day any number of times', async () => {
  const expected = await idsOf(svc.mentions.list());
  const ids: string[] = [];
  for await (const { id } of svc.mentions.list({ limit: 2 })) {
    ids.push(id);
    expireCursors(world);
  }
  expect(ids).toEqual(expected);
  expect(restarts.length).toBe(Math.ceil(expected.length / 2) - 1);
});

test('an iteration that begins at a cursor which later expires continues at its position in the whole list', async () => {
  const all = await idsOf(svc.mentions.list());
  const { pagination } = await svc.mentions.list({ limit: 3 });
  const cursor = pagination.nextCursor ?? '';
  const ids = await idsWithPause(svc.mentions.list({ limit: 2, cursor }), 2, () => expireCursors(world));
  expect(ids).toEqual(all.slice(3));
});

test('an iteration that begins at an expired cursor fails: it has no position yet', async () => {
  const { pagination } = await svc.mentions.list({ limit: 3 });
  expireCursors(world);
  const iteration = idsOf(svc.mentions.list({ cursor: pagination.nextCursor ?? '' }));
  await expect(iteration).rejects.toThrow(SvcCursorExpiredError);
});

describe.each([10, 300])('after an import of %i older audits', (count) => {
  test('a tail repeats no record at a position in the middle of a page, and skips none', async () => {
    const { workspaceId: other, service: node } = await createWorld();
    const older = Array.from({ length: count }, (_, i) => ({
      id: `aud_old_${i}`,
      companyId: COMPANY,
      createdAt: `2019-01-01T00:00:00.${String(i).padStart(6, '0')}Z`,
    }));
    const client = clientOf(node.app, await node.token(other, { mode: 'test' }));
    const all = await idsOf(client.audits.tail({ follow: false }));
    const positions = [client.audits.tail().position];
    const tail = client.audits.tail({ follow: false });
    for await (const _ of tail) positions.push(tail.position);
    await seedRecords(node.pool, other, resourceNamed('audits'), older);
    for (const [given, after] of positions.entries()) {
      // Where nothing was yielded, and after the whole list, the position is that of a page.
      const expected = given === 0 ? [...older.map(({ id }) => id), ...all] : all.slice(given);
      expect(await idsOf(client.audits.tail({ follow: false, after })), `after ${given}`).toEqual(expected);
    }
  });
});
