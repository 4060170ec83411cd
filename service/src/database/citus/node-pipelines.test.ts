import { FAILURES_MAX } from '@svc/pipelined-postgres/limits';
import pg from 'pg';
import { expect, test } from 'vitest';
import { onFileEnd } from '../../../test/harness/cleanup.ts';
import { createTestDatabase, testLanes } from '../../../test/harness/database.ts';
import { inCluster } from '../../../test/harness/locks.ts';
import { NODES_MAX } from '../../config/limits.ts';
import { createPool } from '../pool.ts';
import { preparedStatement } from '../statement.ts';
import { createNodePipelines, type NodePipelinesOptions } from './node-pipelines.ts';
import { unreachableNodes } from './unreachable.fixture.ts';
import type { WorkspaceNodes } from './workspace-nodes.ts';

/** Two databases of one server are the coordinator and a node. The last test needs a real cluster (docs/scale.md). */

const TURNS = { total: 4, perOwner: 4, waitMs: 1_000, waitingMax: 10 };

const coordinator = await createTestDatabase();
const node = await createTestDatabase();
for (const { pool } of [coordinator, node])
  await pool.query(`insert into deployment_secrets (fingerprint) values ('of this deployment')`);
const selectPlace = preparedStatement('test_place', 'request')`
  select current_database() as name, current_setting('port') as port, $1::text as workspace_id`;
const place = (workspaceId: string) => ({ ...selectPlace(workspaceId), name: 'test_place' });
const nameOf = ({ url }: { readonly url: string }): string | undefined =>
  new pg.Client({ connectionString: url }).database;

/** All workspaces are on the node of this name. */
const at = (
  of: WorkspaceNodes['of'] = () => 'node:1',
  nodes: ReadonlySet<string> = new Set(['node:1']),
): WorkspaceNodes => ({
  of,
  nodes,
  find: () => Promise.resolve(),
  forget: () => undefined,
});

function open(change: Partial<NodePipelinesOptions> = {}) {
  const errors: Error[] = [];
  const workspaceNodes = at();
  const pipelines = createNodePipelines({
    workspaceNodes,
    coordinator: coordinator.pool,
    openNode: (_, check) =>
      createPool({
        url: node.url,
        max: 1,
        name: 'test node',
        pipeline: true,
        onError: () => undefined,
        check,
      }),
    turns: TURNS,
    onError: (error) => errors.push(error),
    ...change,
  });
  onFileEnd(() => pipelines.end());
  /** The database that a statement of the workspace runs in. */
  const run = async (workspaceId = 'wks_1'): Promise<string | undefined> => {
    const elsewhere = () => coordinator.pool.query<{ name: string }>(selectPlace(workspaceId));
    const pipeline = pipelines.of(workspaceId);
    const { rows } = await (pipeline?.run(workspaceId, place(workspaceId), elsewhere) ?? elsewhere());
    return rows[0]?.name;
  };
  return { pipelines, errors, run };
}

test('statements run on the node as soon as its connection is open, and meanwhile elsewhere', async () => {
  const { pipelines, errors, run } = open();
  expect(await run()).toBe(nameOf(coordinator));
  await expect.poll(() => run()).toBe(nameOf(node));
  expect(pipelines.open).toBe(1);
  expect(errors).toEqual([]);
});

test('statements of a node whose connection breaks run elsewhere, and then on the node again', async () => {
  const { errors, run } = open();
  await expect.poll(() => run()).toBe(nameOf(node));
  await node.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'test node'`,
  );
  expect(
    new Set(await Promise.all([run(), run()])).isSubsetOf(new Set([coordinator, node].map(nameOf))),
  ).toBe(true);
  await expect.poll(() => run()).toBe(nameOf(node));
  expect(errors.length).toBe(1);
});

test('a node that cannot be reached is reported once, and the coordinator reads for it', async () => {
  const { state, openNode } = unreachableNodes();
  const { errors, run } = open({ openNode });
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
  expect(errors.map(({ message }) => message)).toEqual([
    'cannot use the node node:1 directly, so the coordinator does',
  ]);
});

test('a server of another deployment is not used', async () => {
  const other = await createTestDatabase();
  await other.pool.query(`insert into deployment_secrets (fingerprint) values ('of another deployment')`);
  const { errors, run } = open({
    openNode: (_, check) =>
      createPool({ url: other.url, max: 1, name: 'test node', onError: () => undefined, check }),
  });
  await expect
    .poll(async () => {
      expect(await run()).toBe(nameOf(coordinator));
      return errors.map(({ cause }) => (cause as Error).message);
    })
    .toEqual(['the server with this name is of another deployment when it is reached from here']);
});

test('a process has connections to a limited number of nodes', () => {
  const names = Array.from({ length: NODES_MAX + 1 }, (_, n) => `node${n}`);
  const { pipelines } = open({ workspaceNodes: at((id) => id, new Set(names)) });
  const found = names.map((name) => pipelines.of(name));
  expect(found.map((pipeline) => pipeline !== undefined)).toEqual([
    ...Array.from({ length: NODES_MAX }, () => true),
    false,
  ]);
  expect(pipelines.of('node0')).toBe(found[0]);
});

test('the connection to a node that left the cluster is closed, and its place is free', async () => {
  let left = false;
  const workspaceNodes: WorkspaceNodes = {
    ...at(),
    of: () => (left ? 'node:2' : 'node:1'),
    get nodes() {
      return left ? two : one;
    },
  };
  const [one, two] = [new Set(['node:1']), new Set(['node:2'])];
  const { pipelines, run } = open({
    workspaceNodes,
    openNode: (name, check) =>
      createPool({
        url: node.url,
        max: 1,
        name: `leaves ${name}`,
        pipeline: true,
        onError: () => undefined,
        check,
      }),
  });
  const connections = async (): Promise<readonly string[]> => {
    const { rows } = await node.pool.query<{ name: string }>(
      `select application_name as name from pg_stat_activity where application_name like 'leaves %'`,
    );
    return rows.map(({ name }) => name);
  };
  await expect.poll(() => run()).toBe(nameOf(node));
  expect(await connections()).toEqual(['leaves node:1']);
  const first = pipelines.of('wks_1');
  left = true;
  expect(pipelines.of('wks_1')).not.toBe(first);
  await expect.poll(() => run()).toBe(nameOf(node));
  await expect.poll(connections).toEqual(['leaves node:2']);
});

test('nothing is opened after the end', async () => {
  const { pipelines } = open();
  await pipelines.end();
  expect(pipelines.of('wks_1')).toBeUndefined();
  expect(pipelines.open).toBe(0);
});

// Skipped on one PostgreSQL, which has no nodes.
test.runIf(inCluster())('in a cluster, bounded reads of a workspace run on its node', async () => {
  const lanes = testLanes(coordinator);
  const workspaces = Array.from({ length: 8 }, (_, n) => `wks_${n}`);
  const { rows } = await coordinator.pool.query<{ id: string; port: string }>(
    `select w.id, n.nodeport::text as port from unnest($1::text[]) as w (id)
     join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('live_meters', w.id)
     join pg_dist_node n using (groupid)`,
    [workspaces],
  );
  expect(new Set(rows.map(({ port }) => port)).size).toBeGreaterThan(1);
  const portOf = async (owner: string, workspaceId: string): Promise<string | undefined> =>
    (await lanes.reads.of(owner).query<{ port: string }>(selectPlace(workspaceId))).rows[0]?.port;
  for (const { id, port } of rows) await expect.poll(() => portOf(id, id)).toBe(port);
  // What does not belong to a workspace stays on the coordinator.
  expect(await portOf('someone', 'wks_1')).toBe(new URL(coordinator.url).port);
});
