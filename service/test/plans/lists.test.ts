import type { Position } from '@svc/deployment-secrets/cursors';
import { TOTAL_MAX_ITEMS } from '@svc/sdk/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { SEARCHED_ROWS_MAX } from '../../src/config/limits.ts';
import { logList } from '../../src/dashboard/log/log-list.ts';
import { countKeyset } from '../../src/list/count.ts';
import { type KeysetRead, sortsOf } from '../../src/list/definition.ts';
import { foundStatement, keysetStatement } from '../../src/list/keyset.ts';
import { conditionsOf } from '../../src/list/read.ts';
import { LISTS } from '../harness/lists.ts';
import { metered, PLANS } from './buffers.ts';
import { LAST_USE_MAX } from './most.ts';
import { COMMON_WORD, itemAt, PLACES, SHAPES, type Shape } from './shapes.ts';
import { createState, type PlanState, partitionsOf, RARE_TITLES, STATES, type StateName } from './states.ts';

const LIMIT = 10;
/** Thousands of statements are explained, which is slow on a busy machine. */
const TIMEOUT_MS = 240_000;
/** Pages of indexes above the leaves, the visibility map and the ends of a range. */
const OVERHEAD = 20;
/** A page of one kind of audit-log entries looks into the index of each partition. */
const PARTITION_OVERHEAD = 4;

/** The rows of a total, and the pages of their index. */
const COUNTED_MAX = (TOTAL_MAX_ITEMS + 1) * 1.05;

/** Rows that a count reads: fewer than the workspace has. */
const COUNTED = 1_000;

/** The pending list of an index of words: a search reads it for each of three samples, and for the word. */
const WORD_OVERHEAD = 4 * 40 + OVERHEAD;
/** A record that a search finds: its block, and its look-up by id. */
const FOUND_MAX = 6;
/** A sample that shows that a word is common. */
const COMMON_MAX = 3 * 100;

/** Pages of the index for so many rows, and the ends of its range. */
const SEARCH_MAX = SEARCHED_ROWS_MAX * 1.05 + OVERHEAD;

describe.each(Object.keys(STATES) as StateName[])('in a workspace %s', (name) => {
  let state: PlanState;
  let partitions: number;
  const items = new Map<Shape, readonly Position[]>();

  beforeAll(async () => {
    state = await createState(name);
    partitions = await partitionsOf(state);
    for (const shape of SHAPES) {
      const at = PLACES.map((place) => itemAt(place, state.database.pool, state.workspaceId, shape));
      items.set(
        shape,
        (await Promise.all(at)).filter((item) => item !== undefined),
      );
    }
  });

  test.each(PLANS)(
    'every page reads buffers by its limit only, at the start and deep in the list, with %s',
    async (plan) => {
      await metered(state.database, plan, async ({ explain }) => {
        const wrong: unknown[] = [];
        for (const shape of SHAPES) {
          const { list, sort, what } = shape;
          const total = list.resource.list.total ? COUNTED_MAX : 0;
          const ofPartitions = list.name === 'audit-log' ? partitions * PARTITION_OVERHEAD : 0;
          // The last use of a key is one row of its usage.
          const row = list.resource.list.relation === 'api_key_records' ? LAST_USE_MAX : 1;
          const most = LIMIT * row + OVERHEAD + total + ofPartitions;
          const conditions = conditionsOf(list.resource.list, shape, {
            ...shape,
            workspaceId: state.workspaceId,
          });
          // Rows are compared one by one for the page, and for the total.
          const byRow = conditions.compared.filter(({ column }) => column !== sort.column.column);
          const searched = byRow.length === 0 ? 0 : SEARCH_MAX * (total === 0 ? 1 : 2);
          const after = items.get(shape) ?? [];
          const before = after.map((item) => ({ ...item, side: 'before' as const }));
          for (const direction of ['forward', 'before'] as const) {
            for (const position of [undefined, ...after, ...before]) {
              const statement = keysetStatement({
                list: list.resource.list,
                workspaceId: state.workspaceId,
                ...conditions,
                sort,
                direction,
                position,
                limit: LIMIT,
              });
              const { buffers, plan: steps } = await explain(statement);
              if (buffers > most + searched)
                wrong.push({ what, direction, from: position?.side, buffers, most, steps });
            }
          }
        }
        expect(wrong).toEqual([]);
      });
    },
    TIMEOUT_MS,
  );

  test.each(PLANS)(
    'an empty page reads no further, although many rows differ from its range only in a later column, with %s',
    async (plan) => {
      const { workspaceId, database } = state;
      // An index serves each set of filters, or a page reads rows that it leaves out.
      const served = LISTS.filter(
        ({ filters, resource }) => filters.length > 1 && resource.indexes === undefined,
      );
      const ofTwo = served.flatMap((list) =>
        sortsOf(list.resource.list).map((sort) => {
          const [common, rare] = list.filters;
          const filters = { [common?.name ?? '']: common?.other ?? '', [rare?.name ?? '']: rare?.good ?? '' };
          return { list: list.resource.list, sort, filters };
        }),
      );
      const ofLog = sortsOf(logList).flatMap((sort) => {
        const kind = LISTS.find(({ name }) => name === 'audit-log')?.filters[0]?.other ?? '';
        return [{ from: '2100-01-01T00:00:00Z' }, { to: '2000-01-01T00:00:00Z' }].map((range) => ({
          list: logList,
          sort,
          filters: { kind, ...range },
        }));
      });
      expect(ofTwo.length).toBeGreaterThan(0);
      const wrong: unknown[] = [];
      await metered(database, plan, async ({ client, explain }) => {
        for (const { list, sort, filters } of [...ofTwo, ...ofLog]) {
          const conditions = conditionsOf(list, { filters, sort }, { workspaceId, companyId: null });
          for (const direction of ['forward', 'before'] as const) {
            const statement = keysetStatement({
              ...{ list, workspaceId, ...conditions, sort, direction, limit: LIMIT },
              position: undefined,
            });
            const page = await client.query<{ rows: number }>(statement);
            expect({ filters, rows: page.rows[0]?.rows }).toEqual({ filters, rows: 0 });
            const { buffers, plan: steps } = await explain(statement);
            const most = LIMIT + OVERHEAD + (list === logList ? partitions * PARTITION_OVERHEAD : 0);
            if (buffers > most) wrong.push({ list: list.name, filters, direction, buffers, most, steps });
          }
        }
      });
      expect(wrong).toEqual([]);
    },
  );

  test.each(PLANS)(
    'a search reads the records that have a rare word, a count too; otherwise a bounded number of records, with %s',
    async (plan) => {
      const { workspaceId } = state;
      await metered(state.database, plan, async ({ client, explain, measure }) => {
        const wrong: unknown[] = [];
        for (const { list, sort, what } of SHAPES.filter(({ filters }) => 'q' in filters)) {
          const scope = { workspaceId, companyId: null };
          const readOf = (q: string): KeysetRead => ({
            ...{ list: list.resource.list, workspaceId, sort, position: undefined, limit: LIMIT },
            ...conditionsOf(list.resource.list, { filters: { q }, sort }, scope),
            direction: 'forward',
          });
          for (const [q, bound, isCommon] of [
            ['nobody', WORD_OVERHEAD, false],
            [`rarely ${COMMON_WORD}`, WORD_OVERHEAD + RARE_TITLES * FOUND_MAX, false],
            [COMMON_WORD, WORD_OVERHEAD + COMMON_MAX, true],
            ['%', WORD_OVERHEAD, true],
          ] as const) {
            const statement = foundStatement(readOf(q));
            if (statement === undefined) throw new Error('the list has no index of words');
            const [answer] = (await client.query<{ rows: number; too_common: boolean }>(statement)).rows;
            const found = await explain(statement);
            expect({ what, q, common: answer?.too_common }).toEqual({ what, q, common: isCommon });
            if (q.startsWith('rare')) expect(answer?.rows).toBe(Math.min(LIMIT + 1, RARE_TITLES));
            if (found.buffers > bound) wrong.push({ what, q, bound, ...found });
          }
          const read = readOf('%');
          const { buffers, plan: steps } = await explain(keysetStatement(read));
          const most = SEARCH_MAX * (list.resource.list.total ? 2 : 1) + OVERHEAD;
          if (buffers > most) wrong.push({ what, buffers, most, steps });
          const [, count] = await measure(async (measured) => {
            const counted = await countKeyset(measured, { ...read, limit: COUNTED });
            expect(counted).toEqual({ count: 0, more: true });
          });
          const mostCounted = COUNTED * 1.05 + OVERHEAD;
          if (count === undefined || count.buffers > mostCounted) wrong.push({ what, count, mostCounted });
        }
        expect(wrong).toEqual([]);
      });
    },
  );

  test.each(PLANS)(
    'a search in the log reads a bounded number of entries, and stops at a full page, with %s',
    async (plan) => {
      const { workspaceId } = state;
      const [sort] = sortsOf(logList);
      if (sort === undefined) throw new Error('the log has no order');
      const kind = LISTS.find(({ name }) => name === 'audit-log')?.filters[0]?.other ?? '';
      const most = (rows: number): number => rows + OVERHEAD + partitions * PARTITION_OVERHEAD;
      await metered(state.database, plan, async ({ client, explain }) => {
        const { rows } = await client.query<{ entries: number }>(
          'select count(*)::int as entries from audit_log where workspace_id = $1',
          [workspaceId],
        );
        expect(rows[0]?.entries).toBeGreaterThan(SEARCH_MAX + most(0));
        for (const [filters, found, bound] of [
          [{ ip: '192.0.2.99' }, 0, most(SEARCH_MAX)],
          [{ requestId: 'req_none', statusMin: '500' }, 0, most(SEARCH_MAX)],
          [{ kind, path: '/none' }, 0, most(SEARCH_MAX)],
          [{ statusMin: '100' }, LIMIT + 1, most(2 * LIMIT)],
          [{ kind, statusMin: '100' }, LIMIT + 1, most(2 * LIMIT)],
        ] as const) {
          for (const direction of ['forward', 'before'] as const) {
            const conditions = conditionsOf(logList, { filters, sort }, { workspaceId, companyId: null });
            const read = {
              list: logList,
              workspaceId,
              ...conditions,
              sort,
              direction,
              position: undefined,
              limit: LIMIT,
            };
            const { buffers, plan: steps } = await explain(keysetStatement(read));
            const page = await client.query<{ rows: number }>(keysetStatement(read));
            expect({ filters, direction, found: page.rows[0]?.rows }).toEqual({ filters, direction, found });
            expect({ filters, direction, steps, most: Math.max(buffers, bound) }).toEqual({
              filters,
              direction,
              steps,
              most: bound,
            });
          }
        }
      });
    },
  );
});
