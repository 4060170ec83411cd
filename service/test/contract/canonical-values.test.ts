import { createdAt, defaultOf } from '@svc/sdk/contract';
import { describe, expect, test } from 'vitest';
import { logList } from '../../src/dashboard/log/log-list.ts';
import type { ListDefinition } from '../../src/list/definition.ts';
import { selectList } from '../../src/records/row.ts';
import { createTestDashboard } from '../harness/dashboard.ts';
import { importText } from '../harness/import.ts';
import { LISTS, urlOf } from '../harness/lists.ts';
import type { TestAnswer } from '../harness/service.ts';
import { newRecord, WRITES, type WriteCase } from '../writes/cases.ts';
import { createWriteWorld } from '../writes/world.ts';

const world = await createWriteWorld();
const { pool } = world.service;
const dashboard = createTestDashboard(world.service);
const owner = await dashboard.owner();
await pool.query(
  `insert into members (workspace_id, user_id, id, role, created_at) values ($1, $2, 'mem_test', 'owner', now())`,
  [world.workspaceId, owner.userId],
);

/** Times at the limits of the service and of PostgreSQL, which differ. */
const TIMES = [
  '2026-03-01T09:30:00+15:59',
  '2026-03-01T09:30:00+16:00',
  '2026-03-01T09:30:00-23:59',
  '2026-03-01T09:30:00+24:00',
  '2026-03-01T09:30:00+0530',
  '2026-03-01T09:30:00-05',
  '2026-03-01T09:30:00-00:00',
  '2026-03-01t09:30:00.1234560z',
  '2026-03-01T09:30:00.1234567Z',
  '2026-03-01T23:59:60Z',
  '2026-03-01T24:00:00Z',
  '2024-02-29T00:00:00Z',
  '2026-02-29T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '0000-12-31T23:30:00-01:00',
  '0001-01-01T00:00:00Z',
  '0001-01-01T00:30:00+01:00',
  '9999-12-31T23:59:59.999999Z',
  '9999-12-31T23:30:00-01:00',
  '10000-01-01T00:00:00Z',
  'infinity',
  'now',
] as const;

/** Numbers as JSON text, because a number can be written in several ways. */
const INTEGERS = [
  '-0',
  '0',
  '5.0',
  '1e1',
  '1E2',
  '5.5',
  '-1',
  '32768',
  '2147483648',
  '1e300',
  '"5"',
] as const;

const NOT_WRITTEN = 'refused';

/** A way to write the JSON of a value into a field. Returns what is stored, or that it was refused. */
type Way = (json: string) => Promise<unknown>;

function waysInto(each: WriteCase, field: string): Readonly<Record<string, Way>> {
  const { path, name, resource } = each;
  const stored = async (id: string): Promise<unknown> => {
    const { rows } = await pool.query(
      `select doc, (select to_json(r) from (select ${selectList(resource)}) r) as columns from ${name} where workspace_id = $1 and id = $2`,
      [world.workspaceId, id],
    );
    const [row] = rows;
    const shown: Record<string, unknown> = JSON.parse(row.doc);
    return { shown: shown[field], column: row.columns[field] };
  };
  // In the first state, because a change to another state may set a time.
  const state = resource.transitions?.field;
  const base = state === undefined ? {} : { [state]: defaultOf(resource.fields[state] ?? createdAt) };
  const record = (json: string, over = {}): string => {
    const body = JSON.stringify({ ...newRecord(each, { ...base, ...over }), [field]: '@' });
    return body.replace('"@"', () => json);
  };
  const outcome = async (answer: TestAnswer, idOf: () => string): Promise<unknown> => {
    expect(answer.status, answer.text).toBeLessThan(500);
    return answer.status < 300 ? stored(idOf()) : NOT_WRITTEN;
  };
  const creations: Record<string, Way> = {
    POST: async (json) => {
      const answer = await world.send('POST', path, record(json));
      return outcome(answer, () => answer.json<{ id: string }>().id);
    },
    batch: async (json) => {
      const answer = await world.send('POST', `${path}/batch`, `{"data":[${record(json)}]}`);
      return outcome(answer, () => answer.json<{ data: { id: string }[] }>().data[0]?.id ?? '');
    },
    import: async (json) => {
      const id = `imported_${Math.random().toString(36).slice(2)}`;
      const { inserted } = await importText(pool, world.workspaceId, name, record(json, { id }));
      return inserted === 1 ? stored(id) : NOT_WRITTEN;
    },
  };
  if (resource.immutable || state === field) return creations;
  const patch = (json: string): string => `{${JSON.stringify(field)}:${json}}`;
  return {
    ...creations,
    PATCH: async (json) => {
      const { id } = await world.create(each, base);
      return outcome(await world.send('PATCH', `${path}/${id}`, patch(json)), () => id);
    },
    'PATCH in the dashboard': async (json) => {
      const { id } = await world.create(each, base);
      const at = `/workspaces/${world.workspaceId}/data/${name}/${id}`;
      return outcome(await owner.send('PATCH', at, undefined, { payload: patch(json) }), () => id);
    },
  };
}

describe.each(WRITES)('a field of $path', (each) => {
  test.each(each.fields)(
    '$name: a value is stored the same by every way of writing',
    async ({ name, good, bad }) => {
      const kind = each.resource.fields[name]?.kind;
      const own = [...good, ...bad].map((value) => JSON.stringify(value));
      const boundaries =
        kind === 'time' ? TIMES.map((time) => JSON.stringify(time)) : kind === 'integer' ? INTEGERS : [];
      const ways = Object.entries(waysInto(each, name));
      for (const json of new Set([...own, ...boundaries])) {
        const outcomes: Record<string, unknown> = {};
        for (const [way, write] of ways) outcomes[way] = await write(json);
        const expected = Object.fromEntries(ways.map(([way]) => [way, outcomes['POST']]));
        expect(outcomes, json).toEqual(expected);
      }
    },
  );
});

const TEXTS = [
  '',
  ' ',
  "'",
  '\u0000',
  '\ud800',
  '%',
  '\\',
  '1e400',
  '-1',
  '99999999999999999999',
  'x'.repeat(3000),
];

describe('a filter', () => {
  const filtersOf = ({ filters }: ListDefinition): readonly string[] => Object.keys(filters);

  test.each(LISTS)('of $path accepts any text without a failure of the service', async (list) => {
    for (const name of [...filtersOf(list.resource.list), 'limit', 'sort', 'direction', 'cursor'])
      for (const text of [...TEXTS, ...TIMES])
        expect((await world.get(urlOf(list.path, { [name]: text }))).status).toBeLessThan(500);
  });

  test('of the log accepts any text without a failure, in the list and in the export', async () => {
    const log = `/workspaces/${world.workspaceId}/log`;
    for (const name of filtersOf(logList))
      for (const text of [...TEXTS, ...TIMES]) {
        const shown = await owner.send('GET', urlOf(log, { [name]: text, limit: 1 }));
        const file = await owner.send('GET', urlOf(`${log}/export`, { [name]: text, format: 'ndjson' }));
        expect(shown.status, `${name}=${text}: ${shown.text}`).toBeLessThan(500);
        expect(file.status, `${name}=${text}`).toBe(shown.status);
      }
  });

  test('is the same filter in every spelling of a time: its cursors stay valid', async () => {
    const log = `/workspaces/${world.workspaceId}/log`;
    const spellings = ['2020-03-01T09:30:00+16:00', '2020-02-29T17:30:00Z', '2020-02-29t17:30:00.000z'];
    for (const from of spellings) {
      const first = await owner.send('GET', urlOf(log, { from, limit: 1 }));
      const { nextCursor } = first.json<{ pagination: { nextCursor: string } }>().pagination;
      for (const other of spellings) {
        const next = await owner.send('GET', urlOf(log, { from: other, limit: 1, cursor: nextCursor }));
        expect(next.status, next.text).toBe(200);
      }
    }
  });
});
