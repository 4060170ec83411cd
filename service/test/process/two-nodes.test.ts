import { randomBytes } from 'node:crypto';
import { waitFor } from '@svc/embedded-postgres/testing';
import { expect, test } from 'vitest';
import { bootstrapWorkspace, type IssuedKey, signIn } from '../harness/dashboard-http.ts';
import { createTestDatabase } from '../harness/database.ts';
import { startSvcd } from '../harness/process.ts';
import { bearer } from '../harness/running-service.ts';

const { url, pool } = await createTestDatabase();
const env = { SVC_DATABASE_URL: url, SVC_SECRET: randomBytes(32).toString('base64url') };
const [a, b] = await Promise.all([startSvcd(env), startSvcd({ ...env, SVC_WORKERS: '2' })]);
const workspaceId = await bootstrapWorkspace(env);
const dashboard = await signIn(a);

async function status(node: { readonly url: string }, token: string): Promise<number> {
  const answer = await fetch(`${node.url}/v1/companies`, { headers: bearer(token) });
  await answer.arrayBuffer();
  return answer.status;
}

/** Creates a key that both processes of the second node have used and cached. */
async function usedKey(): Promise<IssuedKey> {
  const key = await dashboard.createKey(workspaceId);
  for (let i = 0; i < 6; i++) expect(await status(b, key.token)).toBe(200);
  return key;
}

/** Ends all connections to the database, also those on which the nodes listen for changes. */
async function cutConnections(): Promise<void> {
  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  );
}

test('a key that is revoked at one node is refused by the other in the next request', async () => {
  const { key, token } = await usedKey();
  await dashboard.post(`/workspaces/${workspaceId}/keys/${key.id}/revoke`);
  expect(await Promise.all(Array.from({ length: 6 }, () => status(b, token)))).toEqual(Array(6).fill(401));
});

test('a key that is rotated at one node: the other node refuses the old token and accepts the new one, at once', async () => {
  const { key, token } = await usedKey();
  const next = await dashboard.post<IssuedKey>(`/workspaces/${workspaceId}/keys/${key.id}/rotate`);
  expect(await Promise.all([status(b, token), status(b, next.token)])).toEqual([401, 200]);
});

test('after all connections were cut, a revoked key is never accepted, and both nodes continue', async () => {
  const revoked = await usedKey();
  const kept = await usedKey();
  await cutConnections();
  const revoke = (): Promise<unknown> =>
    dashboard.post(`/workspaces/${workspaceId}/keys/${revoked.key.id}/revoke`);
  await waitFor(revoke);
  await cutConnections();
  const seen = new Set<number>();
  await waitFor(async () => {
    seen.add(await status(b, revoked.token));
    expect([await status(a, kept.token), await status(b, kept.token)]).toEqual([200, 200]);
    expect(seen).toContain(401);
  });
  expect([...seen].filter((code) => code !== 401 && code !== 503)).toEqual([]);

  // The scheduled jobs listen again too.
  await waitFor(async () => {
    const { rows } = await pool.query(
      `select 1 from pg_stat_activity where datname = current_database() and query ilike 'listen "jobs:insert"%'`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(2);
  });
});

test('both end with code 0', async () => {
  expect(await Promise.all([a.stop(), b.stop()])).toEqual(Array(2).fill({ code: 0, signal: null }));
});
