import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { SEARCHED_ROWS_MAX } from '../../src/config/limits.ts';
import { createTestDashboard, type Visitor } from '../harness/dashboard.ts';
import { type Envelope, urlOf } from '../harness/lists.ts';
import { resourceNamed, type SeedRow, seedRecords } from '../harness/records.ts';
import { createTestService } from '../harness/service.ts';

/** A log that is searched in several parts, and readers that change their direction. */

const ENTRIES = 2 * SEARCHED_ROWS_MAX + 1_234;
const STARTS_MS = Date.UTC(2026, 2, 1);
/** Scatters the matches over the log. Odd, so that each entry has another number. */
const SCATTER = 2_654_435_761;
const RUNS = 40;
const STEPS_MAX = 12;

const timeOf = (index: number): string => new Date(STARTS_MS + index * 1000).toISOString();
/** The first address is that of half of the entries, the next one of a quarter, and so on. */
const rarityOf = (index: number): number => Math.clz32(Math.imul(index + 1, SCATTER) >>> 0);
const ipOf = (rarity: number): string => `198.51.100.${rarity}`;
const rows: readonly SeedRow[] = Array.from({ length: ENTRIES }, (_, i) => ({
  ...{ id: `log_seed_${String(i).padStart(6, '0')}`, createdAt: timeOf(i), kind: 'api.request' },
  ...{ actor: null, requestId: `req_${i}`, ip: ipOf(rarityOf(i)) },
}));

let owner: Visitor & { readonly workspaceId: string };
beforeAll(async () => {
  const service = await createTestService();
  owner = await createTestDashboard(service).owner();
  await seedRecords(service.pool, owner.workspaceId, resourceNamed('audit-log'), rows);
});

type Direction = 'forward' | 'before';
const direction = fc.constantFrom<Direction[]>('forward', 'before');

test('a reader of a search that changes its direction anywhere meets each entry where it belongs', async () => {
  const reader = fc.record({
    rarity: fc.integer({ min: 0, max: 16 }),
    limit: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(100)),
    first: direction,
    steps: fc.array(fc.record({ direction, from: fc.constantFrom('start', 'end') }), {
      maxLength: STEPS_MAX,
    }),
  });
  await fc.assert(
    fc.asyncProperty(reader, async ({ rarity, limit, first, steps }) => {
      const ip = ipOf(rarity);
      const all = rows
        .filter((row) => row['ip'] === ip)
        .map(({ id }) => id)
        .toReversed();
      const range = { from: timeOf(0), to: timeOf(ENTRIES), ip, limit };
      const read = async (params: { readonly direction: Direction; readonly cursor?: string }) =>
        (
          await owner.send('GET', urlOf(`/workspaces/${owner.workspaceId}/log`, { ...range, ...params }))
        ).json<Envelope>();
      /** How many entries are before the gap from which a page is read. */
      let place = first === 'forward' ? 0 : all.length;
      let page = await read({ direction: first });
      let places = expectPage(page, all, place, first);
      for (const step of steps) {
        const { startCursor, endCursor } = page.pagination;
        const cursor = step.from === 'start' ? startCursor : endCursor;
        if (cursor == null) break;
        place = places[step.from];
        page = await read({ direction: step.direction, cursor });
        places = expectPage(page, all, place, step.direction);
      }
    }),
    { numRuns: RUNS },
  );
});

/** Compares a page with the entries next to its gap. Returns the places of the gaps at its two ends. */
function expectPage(
  { data, pagination }: Envelope,
  all: readonly string[],
  place: number,
  towards: Direction,
): Readonly<Record<'start' | 'end', number>> {
  const ids = data.map(({ id }) => id);
  const [start, end] = towards === 'forward' ? [place, place + ids.length] : [place - ids.length, place];
  expect(ids).toEqual(all.slice(Math.max(0, start), end));
  if (!pagination.hasMore)
    expect(towards === 'forward' ? end : start).toBe(towards === 'forward' ? all.length : 0);
  return { start, end };
}
