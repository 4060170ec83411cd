import { waitFor } from '@svc/embedded-postgres/testing';
import { expect, test } from 'vitest';
import { bearer, connectEmbedded, startRunningService } from '../harness/running-service.ts';

/** Ten seconds until the server ends the transaction, and some for a busy machine. */
const LOCK_TIMEOUT = '15s';

const { service, env, workspaceId, dashboard } = await startRunningService();
const [, worker = ''] = await service.printed(/"process":(\d+),"msg":"this process serves/);
const key = await dashboard.createKey(workspaceId, { access: 'write' });

/** Sends a signal to all processes of the node. */
function signal(name: 'SIGSTOP' | 'SIGCONT'): void {
  service.child.kill(name);
  process.kill(Number(worker), name);
}

test('a node that is frozen in the middle of a write keeps no lock for long', async () => {
  const [other, watcher] = await Promise.all([
    connectEmbedded(env['SVC_DATA_DIR'] ?? ''),
    connectEmbedded(env['SVC_DATA_DIR'] ?? ''),
  ]);
  const states = async (state: string, event: string): Promise<number> => {
    const { rows } = await watcher.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
       where application_name = 'svcd requests' and state = $1 and wait_event = $2`,
      [state, event],
    );
    return rows[0]?.count ?? 0;
  };
  // The write waits for this transaction, which wants the same id.
  await other.query('begin');
  await other.query(
    `insert into companies (workspace_id, id, created_at, name, doc) values ($1, 'acme', now(), 'Acme', '{}')`,
    [workspaceId],
  );
  const write = fetch(`${service.url}/v1/companies`, {
    method: 'POST',
    headers: { ...bearer(key.token), 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'acme', name: 'Acme' }),
  }).catch(() => undefined);
  await waitFor(async () => expect(await states('active', 'transactionid')).toBe(1));
  signal('SIGSTOP');
  await other.query('rollback');
  await waitFor(async () => expect(await states('idle in transaction', 'ClientRead')).toBe(1));

  await other.query('begin');
  await other.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
  await expect(
    other.query('select 1 from workspace_clocks where workspace_id = $1 for update', [workspaceId]),
  ).resolves.toMatchObject({ rowCount: 1 });
  await other.query('rollback');

  signal('SIGCONT');
  expect((await write)?.status).toBe(503);
  const answer = await fetch(`${service.url}/v1/companies`, { headers: bearer(key.token) });
  expect([answer.status, await answer.json()]).toMatchObject([200, { data: [] }]);
  expect(await service.stop()).toEqual({ code: 0, signal: null });
});
