import { randomBytes } from 'node:crypto';
import { waitFor } from '@svc/embedded-postgres/testing';
import { beforeEach, expect, test } from 'vitest';
import { bootstrapWorkspace, type IssuedKey, signIn } from '../harness/dashboard-http.ts';
import { createTestDatabase } from '../harness/database.ts';
import { startSvcd } from '../harness/process.ts';
import { bearer } from '../harness/running-service.ts';
import { openStream } from '../waiting/event-stream.ts';

/** Waiting for changes over two nodes, one of them with two workers. */

const { url, pool } = await createTestDatabase();
const env = { SVC_DATABASE_URL: url, SVC_SECRET: randomBytes(32).toString('base64url') };
const [a, b] = await Promise.all([startSvcd(env), startSvcd({ ...env, SVC_WORKERS: '2' })]);
const workspaceId = await bootstrapWorkspace(env);
const dashboard = await signIn(a);
const WAITS = 6;

let issued: IssuedKey;
beforeEach(async () => {
  issued = await dashboard.createKey(workspaceId, { access: 'write' });
  await listening(2);
});

/** The connections on which nodes listen for changes. */
async function listeners(): Promise<readonly number[]> {
  const { rows } = await pool.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where datname = current_database() and application_name = 'svcd signals' and query ~ '^listen'`,
  );
  return rows.map(({ pid }) => pid);
}
const listening = (count: number): Promise<void> =>
  waitFor(async () => expect(await listeners()).toHaveLength(count));

interface Page {
  readonly data: readonly { readonly recordId: string }[];
  readonly pagination: { readonly position: string };
}
async function changes(
  node: { readonly url: string },
  query: string,
): Promise<{ readonly status: number; readonly page: Page }> {
  const answer = await fetch(`${node.url}/v1/changes?${query}`, { headers: bearer(issued.token) });
  return { status: answer.status, page: (await answer.json()) as Page };
}
async function write(node: { readonly url: string }, id: string): Promise<void> {
  const answer = await fetch(`${node.url}/v1/companies`, {
    method: 'POST',
    headers: { ...bearer(issued.token), 'content-type': 'application/json' },
    body: JSON.stringify({ id, name: id }),
  });
  expect(answer.status).toBe(201);
}
const waiting = (node: { readonly url: string }, count: number): Promise<void> =>
  waitFor(async () => {
    const metrics = await (await fetch(`${node.url}/metrics`)).text();
    expect(/^svc_waiting_requests (\d+)$/m.exec(metrics)?.[1]).toBe(String(count));
  });
/** Long polls at all processes of a node, from now on. The keys of this test make changes too, which they leave out. */
async function tails(node: { readonly url: string }) {
  const { position } = (await changes(node, 'after=now')).page.pagination;
  const all = Array.from({ length: WAITS }, () =>
    changes(node, `after=${position}&wait=30&resource=companies`),
  );
  await waiting(node, WAITS);
  return all;
}
async function timed<T>(work: Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  const started = performance.now();
  return { result: await work, ms: performance.now() - started };
}
const revoke = (): Promise<unknown> =>
  dashboard.post(`/workspaces/${workspaceId}/keys/${issued.key.id}/revoke`);

test('a change that one node commits ends the waits at all processes of both within a second', async () => {
  const times: number[] = [];
  // Another program may delay one of them.
  for (const id of ['com_a', 'com_b', 'com_c']) {
    const all = [...(await tails(a)), ...(await tails(b))];
    const { result, ms } = await timed(write(a, id).then(() => Promise.all(all)));
    for (const { page } of result) expect(page.data.map(({ recordId }) => recordId)).toEqual([id]);
    times.push(ms);
  }
  expect(Math.min(...times)).toBeLessThan(1_000);
});

test('a key that is revoked at one node ends the waits and streams at the other within a second', async () => {
  const all = await tails(b);
  const streams = await Promise.all(
    Array.from({ length: WAITS }, () => openStream(`${b.url}/v1/changes/stream`, issued.token)),
  );
  await waiting(b, 2 * WAITS);
  const { result, ms } = await timed(
    revoke().then(() => Promise.all([Promise.all(all), ...streams.map(({ ended }) => ended)])),
  );
  expect(result[0].map(({ status }) => status)).toEqual(Array(WAITS).fill(401));
  expect(ms).toBeLessThan(1_000);
});

test('while no node can listen, changes and revoked keys are noticed after some seconds', async () => {
  let restored = false;
  const cutting = (async () => {
    while (!restored) {
      await pool.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [await listeners()]);
    }
  })();
  try {
    const { result, ms } = await timed(
      tails(b).then(async (all) => {
        await write(a, 'com_2');
        return Promise.all(all);
      }),
    );
    for (const { page } of result) expect(page.data.map(({ recordId }) => recordId)).toEqual(['com_2']);
    expect(ms).toBeLessThan(15_000);
    const all = await tails(b);
    await revoke();
    const revoked = await timed(Promise.all(all));
    expect(revoked.result.map(({ status }) => status)).toEqual(Array(WAITS).fill(401));
    expect(revoked.ms).toBeLessThan(15_000);
  } finally {
    restored = true;
    await cutting;
  }
});

test('a node that shuts down ends its waits at once, and both end with code 0', async () => {
  const all = [...(await tails(a)), ...(await tails(b))];
  const { result, ms } = await timed(Promise.all([a.stop(), b.stop(), ...all]));
  const [first, second, ...answers] = result;
  expect([first, second]).toEqual(Array(2).fill({ code: 0, signal: null }));
  expect(answers.map(({ status, page }) => [status, page.data])).toEqual(Array(2 * WAITS).fill([200, []]));
  expect(ms).toBeLessThan(10_000);
});
