import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { createTestDashboard, type Visitor } from '../../test/harness/dashboard.ts';
import { testLanes } from '../../test/harness/database.ts';
import { waitingForLocks } from '../../test/harness/locks.ts';
import { createTestService, type TestService } from '../../test/harness/service.ts';
import { CONNECTIONS_MIN } from '../config/limits.ts';
import { laneSizes } from './lanes.ts';
import { statement } from './statement.ts';

const SOURCE = join(import.meta.dirname, '..');
/** The only files that create pools: for the lanes, the jobs, the start of the service, its signals and its webhooks. */
const POOL_CREATORS = [
  'database/lanes.ts',
  'jobs/jobs.ts',
  'server/open-database.ts',
  'server/service.ts',
  'signals/notifications.ts',
  'webhooks/start.ts',
];

const select = statement('test_select', 'control')`select`;
const deleteCompanies = statement('test_delete', 'control')`delete from companies`;

let service: TestService;
let owner: Visitor & { readonly workspaceId: string };
beforeAll(async () => {
  service = await createTestService();
  owner = await createTestDashboard(service).owner();
});

test('a process divides all of its connections, and each lane has connections for at least two owners', () => {
  for (const connections of [CONNECTIONS_MIN, 12, 13, 20, 100]) {
    const { trail, pipeline, ...shared } = laneSizes(connections);
    expect(pipeline).toBe(connections === CONNECTIONS_MIN ? 0 : 1);
    expect(trail + pipeline + Object.values(shared).reduce((sum, size) => sum + size, 0)).toBe(connections);
    for (const size of Object.values(shared)) expect(size).toBeGreaterThanOrEqual(2);
  }
  // With the default number, a workspace can have two slow statements.
  expect(laneSizes(13).slow).toBe(3);
});

test('no code that handles requests creates connections itself', () => {
  const creators = globSync('**/*.ts', { cwd: SOURCE })
    .filter((file) => !/\.(test|fixture)\.ts$/.test(file) && file !== 'database/pool.ts')
    .filter((file) => /\bcreatePool\(|new pg\.Pool\b/.test(readFileSync(join(SOURCE, file), 'utf8')));
  expect(creators.toSorted()).toEqual(POOL_CREATORS);
});

describe('the lanes of a process', () => {
  const lanes = () => testLanes(service.database);

  test('refuse writes if they are for reading', async () => {
    const { reads, slow } = lanes();
    for (const lane of [reads, slow]) {
      await expect(lane.of('any').query(deleteCompanies())).rejects.toThrow('read-only transaction');
    }
  });

  test('for writing end a statement and the wait for a lock before the client gives up', async () => {
    const { writes, people } = lanes();
    for (const lane of [writes, people]) {
      const { rows } = await lane.of('any').query<{ lock: number; statement: number }>(
        `select (select setting::int from pg_settings where name = 'lock_timeout') as lock,
          (select setting::int from pg_settings where name = 'statement_timeout') as statement`,
      );
      const [limits = { lock: 0, statement: 0 }] = rows;
      expect(limits.lock).toBeGreaterThan(0);
      expect(limits.lock).toBeLessThan(limits.statement);
    }
  });

  test('get each connection back when it is released, also a broken one', async () => {
    const { slow } = lanes();
    const client = await slow.of('one').connect();
    const waiting = slow.of('one').query<{ answer: number }>('select 1 as answer');
    expect(slow.waiting).toBe(1);
    client.release(new Error('broken'));
    expect((await waiting).rows).toEqual([{ answer: 1 }]);
  });
});

describe.each(['signedIn', 'lookUps'] as const)('%s people outside of their workspaces', (part) => {
  const visitor = (n: number, network: string) => ({ network, session: `${n}`, personId: `${n}` });
  const unknown = (n: number, network: string) => ({ network, session: `${n}`, personId: undefined });

  test.each([
    { who: 'many people of many networks', of: (n: number) => visitor(n, `${n}`), held: 2 },
    { who: 'many people of one network', of: (n: number) => visitor(n, 'one'), held: 2 },
    {
      who: 'many sessions of a person',
      of: (n: number) => ({ ...visitor(1, 'one'), session: `${n}` }),
      held: 1,
    },
    { who: 'many unknown sessions of a network', of: (n: number) => unknown(n, 'one'), held: 1 },
  ])('leave connections to a workspace: $who', async ({ of, held }) => {
    const { people } = testLanes(service.database);
    const clients: pg.PoolClient[] = [];
    const taking = Array.from({ length: 5 }, async (_, n) => {
      clients.push(await people[part].of(of(n)).connect());
    });
    await expect.poll(() => clients.length).toBe(held);
    expect((await people.of('workspace').query<{ answer: number }>('select 1 as answer')).rows).toEqual([
      { answer: 1 },
    ]);
    expect([clients.length, people.waiting]).toEqual([held, taking.length - held]);
    for (const client of clients) client.release();
    for (let n = held; n < taking.length; n++) {
      await expect.poll(() => clients.length).toBeGreaterThan(n);
      clients[n]?.release();
    }
    await Promise.all(taking);
    expect(people.waiting).toBe(0);
  });
});

test('a write of the dashboard that gave up on a lock leaves no statement behind', async () => {
  const { workspaceId } = owner;
  const holder = await service.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select from workspace_clocks where workspace_id = $1 for update', [workspaceId]);
    const imported = await owner.send('POST', `/workspaces/${workspaceId}/imports/companies`, undefined, {
      payload: '{"name":"Acme"}\n',
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect([imported.status, imported.headers['retry-after']]).toEqual([503, '1']);
    expect(await waitingForLocks(service.pool)).toBe(0);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
});

describe('sign-ins and account changes that wait for locks', () => {
  const person = (id: string) => ({ network: `network of ${id}`, session: id, personId: id });

  test('do not delay a look-up of the same person', async () => {
    const { people } = testLanes(service.database);
    const changing = await people.signedIn.of(person('a')).connect();
    await expect(people.lookUps.of(person('a')).query(select())).resolves.toBeDefined();
    changing.release();
  });

  test('together leave a connection to the look-ups and workspaces of others', async () => {
    const { people } = testLanes(service.database);
    const clients: pg.PoolClient[] = [];
    const shares = ['a', 'b'].flatMap((id) => [
      people.signedOut.of(`network ${id}`),
      people.signedIn.of(person(id)),
    ]);
    const taking = shares.map(async (share) => void clients.push(await share.connect()));
    await expect.poll(() => clients.length).toBe(2);
    await expect(people.lookUps.of(person('c')).query(select())).resolves.toBeDefined();
    await expect(people.of('workspace').query(select())).resolves.toBeDefined();
    expect([clients.length, people.waiting]).toEqual([2, 2]);
    for (let n = 0; n < taking.length; n++) {
      await expect.poll(() => clients.length).toBeGreaterThan(n);
      clients[n]?.release();
    }
    await Promise.all(taking);
  });
});
