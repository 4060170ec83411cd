import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createTestDashboard, type Visitor } from '../../test/harness/dashboard.ts';
import { testLanes } from '../../test/harness/database.ts';
import { waitingForLocks } from '../../test/harness/locks.ts';
import { createTestService, type TestService } from '../../test/harness/service.ts';
import { CONNECTIONS_MIN, laneSizes } from './lanes.ts';

const SOURCE = join(import.meta.dirname, '..');
/** What makes connections: the lanes for requests; migrations, jobs and commands for themselves. */
const MAKERS = ['database/lanes.ts', 'jobs/jobs.ts', 'operator/command-database.ts', 'server/service.ts'];

let service: TestService;
let owner: Visitor & { readonly workspaceId: string };
beforeAll(async () => {
  service = await createTestService();
  owner = await createTestDashboard(service).owner();
});

test('a process divides all of its connections, and each lane has room for two owners at least', () => {
  for (const connections of [CONNECTIONS_MIN, 12, 13, 20, 100]) {
    const { trail, ...shared } = laneSizes(connections);
    expect(trail + Object.values(shared).reduce((sum, size) => sum + size, 0)).toBe(connections);
    for (const size of Object.values(shared)) expect(size).toBeGreaterThanOrEqual(2);
  }
});

test('no code that answers requests makes connections of its own', () => {
  const makers = globSync('**/*.ts', { cwd: SOURCE })
    .filter((file) => !/\.(test|fixture)\.ts$/.test(file) && file !== 'database/pool.ts')
    .filter((file) => /\bcreatePool\(|new pg\.Pool\b/.test(readFileSync(join(SOURCE, file), 'utf8')));
  expect(makers.toSorted()).toEqual(MAKERS);
});

describe('the lanes of a process', () => {
  const lanes = () => testLanes(service.database);

  test('for reading refuse to write', async () => {
    const { reads, slow } = lanes();
    for (const lane of [reads, slow]) {
      await expect(lane.of('any').query('delete from companies')).rejects.toThrow('read-only transaction');
    }
  });

  test('for writing give up on a lock and on a statement before the client gives up on them', async () => {
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

  test('give a connection back once it is released, also one that is broken', async () => {
    const { slow } = lanes();
    const client = await slow.of('one').connect();
    const waiting = slow.of('one').query<{ answer: number }>('select 1 as answer');
    expect(slow.waiting).toBe(1);
    client.release(new Error('broken'));
    expect((await waiting).rows).toEqual([{ answer: 1 }]);
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
