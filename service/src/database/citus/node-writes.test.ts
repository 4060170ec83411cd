import { FAILURES_MAX } from '@svc/pipelined-postgres/limits';
import { unshared } from '@svc/turns/lane';
import pg from 'pg';
import { beforeEach, expect, test } from 'vitest';
import { onFileEnd } from '../../../test/harness/cleanup.ts';
import { createTestDatabase, testLanes } from '../../../test/harness/database.ts';
import { inCluster } from '../../../test/harness/locks.ts';
import { UnknownOutcomeError } from '../errors.ts';
import { createPool } from '../pool.ts';
import { preparedStatement } from '../statement.ts';
import type { OpenNode } from './node-sessions.ts';
import { createNodeWrites } from './node-writes.ts';
import { unreachableNodes } from './unreachable.fixture.ts';
import type { WorkspaceNodes } from './workspace-nodes.ts';

/** Two databases of one server are the coordinator and a node. The last test needs a real cluster (docs/scale.md). */

const coordinator = await createTestDatabase();
const node = await createTestDatabase();
const nameOf = ({ url }: { readonly url: string }): string | undefined =>
  new pg.Client({ connectionString: url }).database;

/** `run_once(code)` counts its calls, and fails with a SQLSTATE: on the node with any, on the coordinator with these. */
const REFUSED_BY_ALL = '42501';
const CANCELED = '57014';
for (const { pool, fails } of [
  { pool: coordinator.pool, fails: `code in ('${REFUSED_BY_ALL}', '${CANCELED}')` },
  { pool: node.pool, fails: `code <> ''` },
]) {
  await pool.query(`insert into deployment_secrets (fingerprint) values ('of this deployment')`);
  // A failed transaction does not take back a number of a sequence.
  await pool.query(`create sequence runs;
    create function run_once(code text) returns text language plpgsql as $$
    begin
      perform nextval('runs');
      if ${fails} then raise exception 'refused' using errcode = code; end if;
      return current_database();
    end $$`);
}
beforeEach(async () => {
  for (const { pool } of [coordinator, node]) await pool.query('alter sequence runs restart');
});
const runsOf = async ({ pool }: { readonly pool: pg.Pool }): Promise<number> => {
  const { rows } = await pool.query<{ runs: number }>(
    'select case when is_called then last_value else 0 end as runs from runs',
  );
  return rows[0]?.runs ?? 0;
};

const runOnce = preparedStatement('test_run_once', 'bulk')`select run_once($1) as name`;
const runForLong = preparedStatement('test_run_for_long', 'bulk')`select run_once(''), pg_sleep(60)`;
const selectPort = preparedStatement('test_port', 'bulk')`select current_setting('port')::int as port`;

const NODE = 'node:1';
const workspaceNodes: WorkspaceNodes = {
  of: () => NODE,
  nodes: new Set([NODE]),
  find: () => Promise.resolve(),
  forget: () => undefined,
};

function open(openNode: OpenNode = openPool) {
  const errors: Error[] = [];
  const writes = createNodeWrites({
    workspaceNodes,
    coordinator: unshared(coordinator.pool),
    openNode,
    onError: (error) => errors.push(error),
  });
  onFileEnd(() => writes.end());
  /** The database in which the statement runs. */
  const run = async (code = ''): Promise<string | undefined> => {
    const { rows } = await writes.of(NODE).query<{ name: string }>(runOnce(code));
    return rows[0]?.name;
  };
  const opened = () => expect.poll(() => run()).toBe(nameOf(node));
  return { writes, errors, run, opened };
}

const openPool: OpenNode = (_, check) =>
  createPool({ url: node.url, max: 1, name: 'test writes', onError: () => undefined, check });

test('a statement runs through the coordinator until the connection to the node is open, and then on the node', async () => {
  const { writes, errors, run, opened } = open();
  expect(await run()).toBe(nameOf(coordinator));
  await opened();
  expect(writes.open).toBe(1);
  expect(errors).toEqual([]);
});

test('a statement whose connection breaks is not repeated, and a later one runs on the node again', async () => {
  const { writes, errors, opened } = open();
  await opened();
  const before = await runsOf(coordinator);
  const running = writes.of(NODE).query(runForLong());
  const lost = expect(running).rejects.toThrow();
  await expect
    .poll(async () => {
      const { rowCount } = await node.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'test writes' and query like '%pg_sleep(60)'`,
      );
      return rowCount;
    })
    .toBe(1);
  await lost;
  expect(await runsOf(coordinator)).toBe(before);
  await opened();
  expect(errors).toEqual([]);
});

test('what only the node refuses runs through the coordinator, which then runs all statements of the node', async () => {
  const { errors, run, opened } = open();
  await opened();
  const before = await runsOf(node);
  expect(await run('42883')).toBe(nameOf(coordinator));
  expect(await run()).toBe(nameOf(coordinator));
  expect(await runsOf(node)).toBe(before + 1);
  expect(errors.map(({ message }) => message)).toEqual([
    `cannot use the node ${NODE} directly, so the coordinator does`,
  ]);
});

test('what the coordinator refuses too fails, and the node is used as before', async () => {
  const { errors, run, opened } = open();
  await opened();
  await expect(run(REFUSED_BY_ALL)).rejects.toMatchObject({ code: REFUSED_BY_ALL });
  await opened();
  expect(errors).toEqual([]);
});

test.each([
  ['waits too long for a log', '55P03'],
  ['cannot reach another node', '08006'],
])('a statement that %s is not repeated, and the connection stays', async (_, code) => {
  const { errors, run, opened } = open();
  await opened();
  const before = await runsOf(coordinator);
  await expect(run(code)).rejects.toMatchObject({ code });
  expect(await runsOf(coordinator)).toBe(before);
  if (code !== '08006') expect(await run()).toBe(nameOf(node));
  expect(errors).toEqual([]);
});

test.each([
  ['whose commit on another node has no answer', 'XX000'],
  ['that takes too long', CANCELED],
])('a statement %s has no known outcome, and is not repeated', async (_, code) => {
  const { run, opened } = open();
  await opened();
  const before = await runsOf(coordinator);
  await expect(run(code)).rejects.toBeInstanceOf(UnknownOutcomeError);
  expect(await runsOf(coordinator)).toBe(before);
});

test('a statement that takes too long through the coordinator has no known outcome', async () => {
  const { run } = open(() => undefined);
  await expect(run(CANCELED)).rejects.toBeInstanceOf(UnknownOutcomeError);
  await expect(run(REFUSED_BY_ALL)).rejects.toMatchObject({ code: REFUSED_BY_ALL });
});

test('of two statements at once, one runs on the node, and the other does not wait for it', async () => {
  const { run, opened } = open();
  await opened();
  expect((await Promise.all([run(), run()])).toSorted()).toEqual(
    [nameOf(coordinator), nameOf(node)].toSorted(),
  );
});

test('a node that cannot be reached is reported once, and is not tried for each statement', async () => {
  const { state, openNode } = unreachableNodes();
  const { errors, run } = open(openNode);
  const names = new Set<string | undefined>();
  await expect
    .poll(async () => {
      names.add(await run());
      return state.attempts;
    })
    .toBe(FAILURES_MAX);
  // After one more failure, it is tried after pauses.
  for (let i = 0; i < 20; i++) names.add(await run());
  expect(state.attempts).toBe(FAILURES_MAX + 1);
  expect([...names]).toEqual([nameOf(coordinator)]);
  expect(errors.length).toBe(1);
});

// Skipped on one PostgreSQL, which has no nodes.
test.runIf(inCluster())('in a cluster, entries are written on the node that is named', async () => {
  const lanes = testLanes(coordinator);
  const { rows } = await coordinator.pool.query<{ node: string; port: number }>(
    `select concat(nodename, ':', nodeport) as node, nodeport as port from pg_dist_node where noderole = 'primary'`,
  );
  expect(rows.length).toBeGreaterThan(1);
  for (const { node: name, port } of rows)
    await expect.poll(async () => (await lanes.shards.of(name).query(selectPort())).rows).toEqual([{ port }]);
});
