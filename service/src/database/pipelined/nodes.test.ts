import { LOCK_TIMEOUT_MS, STATEMENT_TIMEOUT_MS } from '@svc/pipelined-postgres/limits';
import pg from 'pg';
import { expect, test } from 'vitest';
import { onFileEnd } from '../../../test/harness/cleanup.ts';
import { createTestDatabase } from '../../../test/harness/database.ts';
import type { WorkspaceNodes } from '../citus/workspace-nodes.ts';
import { lanesOver } from '../lanes.ts';
import { createPool } from '../pool.ts';
import { preparedStatement } from '../statement.ts';
import { createPipelinedReads } from './reads.ts';

/** Where statements run. Two databases of one server are the coordinator and a node. */

const coordinator = await createTestDatabase();
const node = await createTestDatabase();
for (const { pool } of [coordinator, node])
  await pool.query(`insert into deployment_secrets (fingerprint) values ('of this deployment')`);
await node.pool.query(
  'create table only_here (name text); insert into only_here values (current_database())',
);
await coordinator.pool.query('create table only_there (name text)');

const nameOf = ({ url }: { readonly url: string }): string | undefined =>
  new pg.Client({ connectionString: url }).database;
const PIPELINED = {
  statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  lockTimeoutMs: LOCK_TIMEOUT_MS,
  pipeline: true,
};

const workspaceNodes: WorkspaceNodes = {
  of: () => 'node:1',
  nodes: new Set(['node:1']),
  find: () => Promise.resolve(),
  forget: () => undefined,
};

function open() {
  const errors: Error[] = [];
  const onError = (error: Error): void => void errors.push(error);
  const pool = createPool({ ...PIPELINED, url: coordinator.url, max: 1, name: 'test shared', onError });
  const { reads } = lanesOver(coordinator.pool);
  const pipelined = createPipelinedReads(reads, {
    pool,
    workspaceNodes,
    openNode: (_, check) =>
      createPool({ ...PIPELINED, url: node.url, max: 1, name: 'test node', onError, check }),
    onError,
  });
  onFileEnd(async () => {
    await pipelined.end();
    await pool.end();
  });
  return { lane: pipelined.lane, errors };
}

const selectPlace = preparedStatement('test_where', 'request')`
  select current_database() as name, current_setting('application_name') as connection, $1::text as workspace_id`;
const takeLong = preparedStatement('test_take_long', 'request')`
  select current_setting('application_name') as connection, pg_sleep($2), $1::text as workspace_id`;
const readOnlyHere = preparedStatement('test_only_here', 'request')`
  select name, $1::text as workspace_id from only_here`;
const readOnlyThere = preparedStatement('test_only_there', 'request')`
  select count(*)::int as rows, $1::text as workspace_id from only_there`;

/** A lane whose connection to the node is open. */
async function openOnNode() {
  const opened = open();
  const placeOf = async (owner: string, workspaceId = owner) =>
    (await opened.lane.of(owner).query<{ name: string; connection: string }>(selectPlace(workspaceId)))
      .rows[0];
  await expect.poll(async () => (await placeOf('wks_1'))?.name).toBe(nameOf(node));
  return { ...opened, placeOf };
}

test('a statement runs on the node only if its first value is the owner', async () => {
  const { placeOf } = await openOnNode();
  expect(await placeOf('someone', 'wks_1')).toMatchObject({
    name: nameOf(coordinator),
    connection: 'test shared',
  });
});

test('a statement with a form for a node has the same row, whether the node runs it or not', async () => {
  const query = {
    ...selectPlace('wks_1'),
    onNode: {
      name: 'test_rows',
      text: `select n from generate_series(1, 3) as g (n) where $1::text is not null`,
      gather: (rows: readonly pg.QueryResultRow[], values: readonly unknown[]) => ({
        gathered: rows.length,
        values,
      }),
    },
  };
  const closed = open();
  const before = await closed.lane.of('wks_1').query(query);
  expect(before.rows).toMatchObject([{ name: nameOf(coordinator), workspace_id: 'wks_1' }]);
  const { lane } = await openOnNode();
  const { rows } = await lane.of('wks_1').query(query);
  expect(rows).toEqual([{ gathered: 3, values: ['wks_1'] }]);
});

test('a slow statement runs in its lane next, and does not delay the connection to the coordinator', async () => {
  const { lane, errors, placeOf } = await openOnNode();
  const { rows } = await lane
    .of('wks_1')
    .query<{ connection: string }>(takeLong('wks_1', (2 * STATEMENT_TIMEOUT_MS) / 1_000));
  expect(rows[0]?.connection).toBe('test');
  // Only the connection to the node was closed.
  expect(errors.length).toBe(1);
  expect((await placeOf('wks_1'))?.connection).toBe('test');
  await expect.poll(async () => (await placeOf('wks_2'))?.connection).toBe('test node');
});

test('a statement that only the node refuses runs on the coordinator, and one that both refuse fails', async () => {
  const { lane } = await openOnNode();
  expect((await lane.of('wks_1').query(readOnlyThere('wks_1'))).rows).toEqual([
    { rows: 0, workspace_id: 'wks_1' },
  ]);
  expect((await lane.of('wks_1').query(readOnlyHere('wks_1'))).rows).toMatchObject([{ name: nameOf(node) }]);
  const wrong = lane.of('wks_1').query(takeLong('wks_1', 'not a number'));
  await expect(wrong).rejects.toMatchObject({ code: '22P02' });
});
