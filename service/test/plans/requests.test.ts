import { randomUUID } from 'node:crypto';
import type { ListEnvelope } from '@svc/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { parallelWriter } from '../../src/bulk/parallel-writer.ts';
import { declaredStatements } from '../../src/database/statement.ts';
import { audits, RESOURCES } from '../../src/resources/index.ts';
import { checkDeclared } from '../citus/declared.ts';
import { readSchema } from '../citus/schema.ts';
import type { World } from '../dashboard/change.ts';
import { methodOf } from '../dashboard/change.ts';
import { CHANGES } from '../dashboard/changes.ts';
import { openProvider, settingsFor } from '../dashboard/openid.ts';
import { createTestDashboard } from '../harness/dashboard.ts';
import { COMPANY, OTHER_COMPANY } from '../harness/lists.ts';
import { createTestService, TEST_ACTOR, TEST_SECRET } from '../harness/service.ts';
import { type Measured, meteredProcess, PLANS, urlWithPlan } from './buffers.ts';
import { dashboardReads } from './dashboard-reads.ts';
import { type Method, moreWrites, type Request } from './more-writes.ts';
import { IMPORTED, mostOf } from './most.ts';
import { OTHERS } from './others.ts';
import { seedPeople } from './people.ts';
import { createState, type PlanState, partitionsOf, STATES, type StateName } from './states.ts';

/** Sends every kind of request, and measures all statements of the process meanwhile. */

const TIMEOUT_MS = 300_000;
/** Enough that a scan of all of them reads more than a request may. */
const PEOPLE = 20_000;
/** The names of the declared statements whose cost a request or a caller bounds, by their text. */
const boundedStatements = (): ReadonlyMap<string, string> =>
  new Map(
    [...declaredStatements.values()].flatMap(({ group, names }) =>
      group === 'request' || group === 'bulk' ? [...names] : [],
    ),
  );

/** Requests of `/v1` with a key that may write. */
async function apiRequests({ service }: World, workspaceId: string): Promise<readonly Request[]> {
  const token = await service.token(workspaceId, { access: 'write' });
  const id = `com_${randomUUID()}`;
  const audit = { companyId: COMPANY, headlineScore: 7, completedAt: '2026-03-01T09:30:00Z' };
  const { rows } = await service.pool.query<{ id: string }>(
    'select id from content where workspace_id = $1 and company_id = $2 limit 1',
    [workspaceId, COMPANY],
  );
  const request = (method: Method, path: string, payload?: object): Request => ({
    what: `${method} ${path}`,
    send: () =>
      service.request(token, path, {
        method,
        ...(payload === undefined ? {} : { payload }),
        ...(method === 'POST' ? { headers: { 'idempotency-key': randomUUID() } } : {}),
      }),
  });
  const pages = await Promise.all(
    ['sort=created-descending', 'sort=created-ascending', `companyId=${COMPANY}`].map(async (query) => ({
      query,
      ...(await service.request(token, `/v1/changes?limit=100&${query}`)).json<
        ListEnvelope<{ id: string }>
      >(),
    })),
  );
  const middle = pages[0]?.data.at(-1)?.id;
  return [
    ...RESOURCES.map(({ path }) => request('GET', path)),
    ...pages.map(({ query }) => request('GET', `/v1/changes?${query}`)),
    request('GET', '/v1/changes?sort=created-ascending&resource=content'),
    ...['now', middle].flatMap((after) => [
      request('GET', `/v1/changes?after=${after}`),
      request('GET', `/v1/changes?after=${after}&companyId=${COMPANY}`),
    ]),
    ...pages.map(({ query, pagination }) =>
      request('GET', `/v1/changes?cursor=${pagination.endCursor}&${query}`),
    ),
    request('GET', `/v1/changes/${middle}`),
    request('GET', '/v1/changes?after=now&wait=1'),
    ...['/v1/me', '/v1/audits/count', '/v1/audits/count?approximate=true'].map((path) =>
      request('GET', path),
    ),
    request('GET', `/v1/companies/${COMPANY}`),
    request('POST', '/v1/audits', audit),
    request('POST', '/v1/audits/batch', { data: [audit, audit] }),
    request('PATCH', `/v1/content/${rows[0]?.id}`, { companyId: OTHER_COMPANY }),
    request('POST', '/v1/companies', { id, name: 'new' }),
    request('POST', '/v1/companies/batch', { data: [{ name: 'one' }, { name: 'another' }] }),
    request('PATCH', `/v1/companies/${id}`, { name: 'newer' }),
    ...moreWrites(id).map(([method, path, payload]) => request(method, path, payload)),
    request('DELETE', `/v1/companies/${id}`),
  ];
}

describe.each(Object.keys(STATES) as StateName[])('in a workspace %s', (name) => {
  let state: PlanState;
  beforeAll(async () => {
    state = await createState(name);
  });

  test.each(PLANS)(
    'every declared statement reads a bounded number of buffers, with %s',
    async (plan) => {
      const { workspaceId } = state;
      const database = { ...state.database, url: urlWithPlan(state.database.url, plan) };
      const provider = await openProvider();
      const service = await createTestService({ database, oidc: settingsFor(provider) });
      const real = createTestDashboard(service);
      // Changes by owners of the large workspace instead of new ones.
      const owner = async () => ({ ...(await real.member(workspaceId, 'owner')), workspaceId });
      const world: World = { service, dashboard: { ...real, owner }, provider };

      const most = new Map<string, Measured & { readonly what: string }>();
      const failed: unknown[] = [];
      const run = async (what: string, work: () => Promise<unknown>): Promise<void> => {
        for (const each of await meteredProcess(work)) {
          const known = most.get(each.text);
          if (known === undefined || known.buffers < each.buffers) most.set(each.text, { ...each, what });
        }
      };
      const send = ({ what, send: request }: Request): Promise<void> =>
        run(what, async () => {
          const { status, text } = await request();
          if (status >= 300) failed.push({ what, status, text });
        });

      for (const [route, prepare] of Object.entries(CHANGES)) {
        if (route === 'POST /set-up' && plan !== PLANS[0]) continue;
        await service.pool.query(`delete from companies where workspace_id = $1 and id = 'com_a'`, [
          workspaceId,
        ]);
        const { as, path, body, options } = await prepare(world);
        await send({ what: route, send: () => as.send(methodOf(route), path, body, options) });
        if (route === 'POST /set-up') await seedPeople(service.pool, state.others, PEOPLE);
        // It has changed every key, and reads would count the versions that are left until the next vacuum.
        if (route === 'POST /workspaces/:workspaceId/restore') await service.pool.query('vacuum api_keys');
      }
      for (const request of await dashboardReads(world, workspaceId)) await send(request);
      // The deletions above were not appended to the feed, so no position would be valid.
      await service.pool.query('delete from feed_starts where workspace_id = $1', [workspaceId]);
      for (const request of await apiRequests(world, workspaceId)) await send(request);
      await moveKey(world, workspaceId, database, send);
      await run('an import', () => importAudits(world, workspaceId));
      for (const [text, statement] of boundedStatements()) {
        const values = OTHERS[statement];
        if (values !== undefined && !most.has(text))
          await run(statement, () => service.pool.query(text, [...values(workspaceId)]));
      }

      const partitions = await partitionsOf(state);
      const { rows } = await service.pool.query(
        `select count(*)::int as people from users where starts_with(id, 'usr_')`,
      );
      expect(rows[0]).toEqual({ people: PEOPLE });
      const declared = boundedStatements();
      const wrong = [...most.values()].filter(
        ({ text, buffers }) => buffers > mostOf(text, declared.get(text) ?? '', partitions),
      );
      expect(failed).toEqual([]);
      expect(wrong).toEqual([]);
      expect([...declared].filter(([text]) => !most.has(text)).map(([, statement]) => statement)).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

// Last: the requests above have declared the statements of families, which service/test/citus does not know.
test('a cluster runs each statement that a request has needed', () => {
  const { checked, faults } = checkDeclared(readSchema());
  expect(checked).toBeGreaterThan(300);
  expect(faults).toEqual([]);
});

/** The first request with a key after the service has got a new secret. */
async function moveKey(
  world: World,
  workspaceId: string,
  database: PlanState['database'],
  send: (request: Request) => Promise<void>,
): Promise<void> {
  const token = await world.service.token(workspaceId);
  const newSecret = `new ${TEST_SECRET}`;
  const rotated = await createTestService({ database, secrets: [newSecret, TEST_SECRET] });
  const withoutOld = await createTestService({ database, secrets: [newSecret] });
  const list = (service: World['service']) => service.request(token, '/v1/audits?limit=1');
  await send({
    what: 'a key of an earlier secret',
    send: async () => {
      const answer = await list(rotated);
      // The request does not wait for the move, and the next use repeats one that failed.
      await expect
        .poll(async () => {
          await list(rotated);
          return (await list(withoutOld)).status;
        })
        .toBe(200);
      return answer;
    },
  });
}

async function importAudits({ service }: World, workspaceId: string): Promise<void> {
  const rows = Array.from({ length: IMPORTED }, () => ({
    companyId: COMPANY,
    headlineScore: 7,
    completedAt: '2026-03-01T09:30:00Z',
  }));
  const importId = `imp_${randomUUID()}`;
  const target = { pool: service.pool, workspaceId, resource: audits, importId, by: TEST_ACTOR };
  const writer = parallelWriter(target);
  await writer.write(rows, { records: [], refused: [], bytes: 0, recordsRead: rows.length, digest: null });
  await writer.finish({ inserted: rows.length, existing: 0, refused: 0, finished: true });
}
