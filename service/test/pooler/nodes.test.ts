import { randomBytes, randomUUID } from 'node:crypto';
import { waitFor } from '@svc/embedded-postgres/testing';
import { describe, expect, test } from 'vitest';
import { bootstrapWorkspace, signIn } from '../harness/dashboard-http.ts';
import { createTestDatabase } from '../harness/database.ts';
import { runSvcd, type ServiceProcess, startSvcd } from '../harness/process.ts';
import { bearer } from '../harness/running-service.ts';
import { PGBOUNCER, startPgBouncer } from './pgbouncer.ts';
import { setUpRole } from './role.ts';

const WRITERS = 4;
const KILLS = 3;
const WRITES_BETWEEN = 25;

interface Changes {
  readonly data: readonly { readonly recordId: string }[];
  readonly pagination: { readonly position: string };
}

interface List {
  readonly data: readonly { readonly id: string; readonly name: string }[];
  readonly pagination: { readonly nextCursor: string | null };
}

/** Two nodes, with three processes that serve, behind a PgBouncer that has fewer connections than they have clients. */
async function twoNodes() {
  const { url, pool } = await createTestDatabase();
  const pooler = await startPgBouncer(PGBOUNCER ?? '', url, {
    max_prepared_statements: 50,
    default_pool_size: 6,
  });
  await setUpRole(pool, pooler.url);
  await pooler.kill();
  await pooler.start();
  const env = {
    SVC_DATABASE_URL: pooler.url,
    SVC_DATABASE_POOLER: 'transaction',
    SVC_DATABASE_DIRECT_URL: url,
    SVC_SECRET: randomBytes(32).toString('base64url'),
  };
  const nodes = await Promise.all([startSvcd(env), startSvcd({ ...env, SVC_WORKERS: '2' })]);
  const [a, b] = nodes;
  const workspaces = await Promise.all(
    ['one@example.com', 'two@example.com'].map(async (email) => {
      const id = await bootstrapWorkspace(env, email);
      const dashboard = await signIn(a, email);
      return { id, dashboard, ...(await dashboard.createKey(id, { access: 'write' })) };
    }),
  );
  return { pool, pooler, env, nodes, a, b, workspaces };
}

const create = (node: ServiceProcess, token: string, name: string, key = randomUUID()): Promise<Response> =>
  fetch(`${node.url}/v1/companies`, {
    method: 'POST',
    headers: { ...bearer(token), 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ name }),
  });

/** The names of all companies, by pages. */
async function names(node: ServiceProcess, token: string): Promise<readonly string[]> {
  const all: string[] = [];
  for (let cursor = ''; ; ) {
    const answer = await fetch(`${node.url}/v1/companies?limit=20${cursor}`, { headers: bearer(token) });
    expect(answer.status).toBe(200);
    const { data, pagination } = (await answer.json()) as List;
    all.push(...data.map(({ name }) => name));
    if (pagination.nextCursor === null) return all;
    cursor = `&cursor=${pagination.nextCursor}`;
  }
}

/** Creates a company, again with the same key until it is acknowledged. Returns the statuses on the way. */
async function createSurely(node: ServiceProcess, token: string, name: string): Promise<readonly number[]> {
  const key = randomUUID();
  const seen: number[] = [];
  await waitFor(async () => {
    const answer = await create(node, token, name, key);
    await answer.arrayBuffer();
    seen.push(answer.status);
    expect(answer.status).toBe(201);
  });
  return seen;
}

// Set PGBOUNCER to the path of a PgBouncer from 1.21 on if Debian's is older.
describe.skipIf(PGBOUNCER === undefined)('two nodes behind a PgBouncer in transaction mode', async () => {
  if (PGBOUNCER === undefined) return;
  const { pool, pooler, env, nodes, a, b, workspaces } = await twoNodes();
  const [one, two] = workspaces;
  if (one === undefined || two === undefined) throw new Error('two workspaces were created');

  test('each workspace has its records only, at both nodes, in pages and at the end of its feed', async () => {
    await Promise.all(
      Array.from({ length: 45 }, (_, i) =>
        Promise.all([create(a, one.token, `one ${i}`), create(b, two.token, `two ${i}`)]),
      ),
    );
    for (const node of nodes) {
      expect((await names(node, one.token)).toSorted()).toEqual(
        Array.from({ length: 45 }, (_, i) => `one ${i}`).toSorted(),
      );
      expect(await names(node, two.token)).toHaveLength(45);
    }
  });

  test('a request that waits for changes gets them from the other node by a notification', async () => {
    const now = (await (
      await fetch(`${b.url}/v1/changes?after=now`, { headers: bearer(one.token) })
    ).json()) as Changes;
    const waiting = fetch(`${b.url}/v1/changes?after=${now.pagination.position}&wait=30`, {
      headers: bearer(one.token),
    });
    const started = performance.now();
    expect((await create(a, one.token, 'awaited')).status).toBe(201);
    const { data } = (await (await waiting).json()) as Changes;
    expect(data).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(15_000);
    const { rows } = await pool.query(
      `select application_name from pg_stat_activity where datname = current_database() and query ilike 'listen %'`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(nodes.length * 2);
  });

  test('a key that is revoked at one node is refused by the other in the next request', async () => {
    const key = await one.dashboard.createKey(one.id);
    const status = async () => (await fetch(`${b.url}/v1/companies`, { headers: bearer(key.token) })).status;
    for (let i = 0; i < 6; i++) expect(await status()).toBe(200);
    await one.dashboard.post(`/workspaces/${one.id}/keys/${key.key.id}/revoke`);
    expect(await Promise.all(Array.from({ length: 6 }, status))).toEqual(Array(6).fill(401));
  });

  test('commands use the direct URL: an import, and a verification without differences', async () => {
    const lines = Array.from({ length: 500 }, (_, i) =>
      JSON.stringify({ id: `i${i}`, name: `imported ${i}` }),
    );
    const imported = await runSvcd(
      ['import', 'companies', '--format', 'ndjson', '--workspace', two.id, '-'],
      {
        env,
        input: `${lines.join('\n')}\n`,
      },
    );
    expect([imported.code, imported.stderr]).toEqual([0, expect.any(String)]);
    const verified = await runSvcd(['verify'], { env });
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('no differences')]);
  });

  test('after each kill -9 and reload of the pooler the nodes continue, and no acknowledged record is lost', async () => {
    const acknowledged: string[] = [];
    const seen = new Set<number>();
    let done = false;
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      const workspace = writer % 2 === 0 ? one : two;
      for (let i = 0; !done; i++) {
        const name = `killed ${writer} ${i}`;
        for (const status of await createSurely(nodes[i % 2] ?? a, workspace.token, name)) seen.add(status);
        acknowledged.push(name);
      }
    });
    for (let kill = 0; kill < KILLS; kill++) {
      const goal = acknowledged.length + WRITES_BETWEEN;
      await expect.poll(() => acknowledged.length).toBeGreaterThan(goal);
      pooler.reload();
      await expect.poll(() => acknowledged.length).toBeGreaterThan(goal + WRITES_BETWEEN);
      await pooler.kill();
      await pooler.start();
    }
    done = true;
    await Promise.all(writers);
    const stored = [...(await names(a, one.token)), ...(await names(b, two.token))].filter((name) =>
      name.startsWith('killed'),
    );
    expect(stored.toSorted()).toEqual(acknowledged.toSorted());
    expect([...seen].filter((status) => status !== 201 && status !== 503)).toEqual([]);
    const verified = await runSvcd(['verify'], { env });
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('no differences')]);
  });

  test('both end with code 0', async () => {
    expect(await Promise.all(nodes.map((node) => node.stop()))).toEqual(
      Array(2).fill({ code: 0, signal: null }),
    );
  });
});
