import type pg from 'pg';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createTestDashboard } from '../harness/dashboard.ts';
import { inCluster, waitingForLocks } from '../harness/locks.ts';
import { createTestService, type TestService } from '../harness/service.ts';
import { CALLS, createTenant, IDEMPOTENCY_KEY, type Tenant } from './world.ts';

/** How many times a busy workspace sends each call at once: more than a process has connections. */
const TIMES = 4;
/** Shorter than a busy call waits for its lock or its statement. A faster call has not waited for either. */
const POLITE_MS = 4_500;

let nodes: readonly TestService[];
let first: TestService;
let busy: Tenant;
let polite: Tenant;
let holder: pg.PoolClient | undefined;

beforeAll(async () => {
  first = await createTestService();
  nodes = [first, await createTestService({ database: first.database, clock: first.clock })];
  const dashboard = createTestDashboard(first);
  [busy, polite] = [await createTenant(first, dashboard), await createTenant(first, dashboard)];
  await first.pool.query(SLOW);
});

afterEach(async () => {
  holder?.release();
  holder = undefined;
});

/**
 * A statement on rows of a workspace waits while slow_workspaces has it. The cost keeps the planner from a sequential
 * scan, which would call the function for the busy workspace's rows in the polite workspace's statements too.
 */
const SLOW = `
  create table slow_workspaces (relation text, workspace_id text);
  create function wait_for_slow(relation text, workspace text) returns boolean language plpgsql volatile cost 1000000 as $$
  begin
    while exists (select from slow_workspaces s where s.relation = $1 and s.workspace_id = $2) loop
      perform pg_sleep(0.05);
    end loop;
    return true;
  end $$;`;

const waitingStatements = async (): Promise<number> => {
  const { rows } = await first.pool.query<{ sleeping: number }>(
    `select count(*)::int as sleeping from pg_stat_activity
     where datname = current_database() and wait_event = 'PgSleep'`,
  );
  return (rows[0]?.sleeping ?? 0) + (await waitingForLocks(first.pool));
};

/** Sends every call of the busy workspace many times at once. Resolves after all responses; calls `refused` at a 409. */
function flood(count: number, refused: () => void): Promise<readonly (readonly [string, number])[]> {
  return Promise.all(
    Object.entries(CALLS).flatMap(([name, call]) =>
      Array.from({ length: TIMES * count }, async (_, i) => {
        const node = nodes[i % count] ?? first;
        // A file whose statements fail while it leaves is cut off.
        const { status } = await call(busy, node).catch(() => ({ status: 0 }));
        if (status === 409) refused();
        return [name, status] as const;
      }),
    ),
  );
}

/**
 * Sends calls of the polite workspace, one after the other. Default: all. Returns each status, and whether the call waited.
 */
async function beg(
  count: number,
  names: readonly string[] = Object.keys(CALLS),
): Promise<Readonly<Record<string, string>>> {
  const outcomes: Record<string, string> = {};
  for (const [name, call] of Object.entries(CALLS)) {
    if (!names.includes(name)) continue;
    for (const node of nodes.slice(0, count)) {
      const started = performance.now();
      const { status, text } = await call(polite, node);
      const ms = performance.now() - started;
      if (status >= 300) outcomes[name] = `${status} ${text}`;
      else if (ms > POLITE_MS) outcomes[name] = `waited ${Math.round(ms)} ms`;
    }
    if (name === 'the dashboard: a key is rotated') await renew(polite);
  }
  return outcomes;
}

/** A rotated key's calls need the new token. */
async function renew(tenant: Tenant): Promise<void> {
  const issued = await first.issue(tenant.workspaceId, { access: 'write' });
  Object.assign(tenant, issued);
}

/** During `hold`, the busy workspace sends many calls, and they must not delay the calls of the polite one. */
async function expectNoDelay(
  count: number,
  hold: (client: pg.PoolClient) => Promise<unknown>,
  free: (client: pg.PoolClient) => Promise<unknown>,
): Promise<void> {
  const client = await first.pool.connect();
  holder = client;
  await hold(client);
  let refused = 0;
  const flooding = flood(count, () => {
    refused += 1;
  });
  // A call with a used Idempotency-Key is refused, all other calls wait.
  await expect
    .poll(async () => refused + (await waitingStatements()), { timeout: 10_000 })
    .toBeGreaterThan(0);
  const outcomes = await beg(count);
  await free(client);
  const failures = [
    ...new Set(
      (await flooding).flatMap(([name, status]) =>
        status >= 500 && status !== 503 ? [`${name}: ${status}`] : [],
      ),
    ),
  ];
  expect({ outcomes, failures }).toEqual({ outcomes: {}, failures: [] });
  await renew(busy);
}

/** A lock of each kind that a statement of the service may wait for. */
const LOCKS: Readonly<Record<string, string>> = {
  'the clock of the workspace': 'select from workspace_clocks where workspace_id = $1 for update',
  'the clock of the log': 'select from live_meters where workspace_id = $1 for update',
  'the rows of its keys': 'select from api_keys where workspace_id = $1 for update',
  'the rows of its records': 'select from companies where workspace_id = $1 for update',
  'its counters': 'select from record_counts where workspace_id = $1 for update',
  'an idempotency key': `select pg_advisory_xact_lock(hashtextextended($1 || ' ${IDEMPOTENCY_KEY}', 0))`,
  'the row of the workspace': 'select from workspaces where id = $1 for update',
  'the rows of its members': 'select from members where workspace_id = $1 for update',
  'the rows of its people':
    'select from users where id in (select user_id from members where workspace_id = $1) for update',
  'its usage and traffic':
    'select from key_usage u, traffic t where u.workspace_id = $1 and t.workspace_id = $1 for update',
};

/** Citus locks no rows that a subquery names, and a cluster counts usage every ten seconds. */
const NOT_IN_CLUSTER: ReadonlySet<string> = new Set(['the rows of its people', 'its usage and traffic']);

/** Relations whose statements are slow for the busy workspace only. */
const SLOW_RELATIONS = [
  'audits',
  'audit_log',
  'api_keys',
  'record_counts',
  'key_usage',
  'traffic',
  'live_meters',
  'members',
];

/** Reads of other tables than audits, which a process sends on its pipelined connection. */
const OTHER_READS = ['a record', 'the keys', 'an approximate count'] as const;
/** More workspaces than a process has connections for reads. */
const READERS = 4;

describe.each([1, 2])('with %i process(es)', (count) => {
  test('many workspaces that read a locked table do not delay reads of other tables', async () => {
    const readers = await Promise.all(
      Array.from({ length: READERS }, async () => first.token(await first.workspace())),
    );
    const inUse = nodes.slice(0, count);
    const readAudits = () =>
      inUse.flatMap((node) => readers.map(async (token) => (await node.request(token, '/v1/audits')).status));
    // Each node knows the keys before the table is locked.
    await Promise.all([...readAudits(), ...inUse.map((node) => node.request(polite.token, '/v1/companies'))]);

    const client = await first.pool.connect();
    holder = client;
    await client.query('begin; lock table audits in access exclusive mode');
    const reading = Array.from({ length: TIMES }, readAudits).flat();
    await expect.poll(waitingStatements).toBeGreaterThan(0);
    const outcomes = await beg(count, OTHER_READS);
    // The reads of the locked table still wait, so the others have not waited for their time limit.
    expect([outcomes, await waitingStatements()]).toEqual([{}, expect.toSatisfy((waiting) => waiting > 0)]);
    await client.query('rollback');
    expect(new Set(await Promise.all(reading)).difference(new Set([200, 503]))).toEqual(new Set());
  }, 120_000);

  test.each(Object.entries(LOCKS).filter(([name]) => !(inCluster() && NOT_IN_CLUSTER.has(name))))(
    'calls that wait for a lock do not delay another workspace: %s',
    async (_, lock) => {
      await expectNoDelay(
        count,
        async (client) => {
          await client.query('begin');
          await client.query(lock, [busy.workspaceId]);
        },
        (client) => client.query('rollback'),
      );
    },
    120_000,
  );

  // A cluster hands over no policies of rows to its nodes.
  test.skipIf(inCluster()).each(SLOW_RELATIONS)(
    'slow statements do not delay another workspace: on %s',
    async (relation) => {
      const { pool } = first;
      await pool.query(`alter table ${relation} enable row level security, force row level security`);
      await pool.query(
        `create policy slow on ${relation} using (wait_for_slow('${relation}', workspace_id))`,
      );
      // As autovacuum does at any time.
      await pool.query('analyze');
      try {
        await expectNoDelay(
          count,
          (client) =>
            client.query('insert into slow_workspaces values ($1, $2)', [relation, busy.workspaceId]),
          (client) => client.query('delete from slow_workspaces'),
        );
      } finally {
        await pool.query('delete from slow_workspaces');
        await pool.query(`drop policy slow on ${relation}`);
        await pool.query(`alter table ${relation} disable row level security, no force row level security`);
      }
    },
    120_000,
  );
});
