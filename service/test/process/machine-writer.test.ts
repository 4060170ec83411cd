import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { waitFor } from '@svc/embedded-postgres/testing';
import { expect, test } from 'vitest';
import { bootstrapWorkspace, signIn } from '../harness/dashboard-http.ts';
import { createTestDatabase } from '../harness/database.ts';
import { requestEntries } from '../harness/entries.ts';
import { pollOf } from '../harness/follow.ts';
import { type Envelope, type Params, urlOf } from '../harness/lists.ts';
import { inCluster, waitingForLocks } from '../harness/locks.ts';
import { startSvcd } from '../harness/process.ts';
import { bearer } from '../harness/running-service.ts';

const CONNECTIONS = 8;
const REQUESTS = 400;
/** Shorter than the wait of an entry whose log is held. */
const SOON_MS = 3_000;
/** Longer than a worker waits for the primary. */
const ANSWERED_WITHIN_MS = 30_000;

const { pool, url } = await createTestDatabase();
const env = {
  SVC_DATABASE_URL: url,
  SVC_SECRET: randomBytes(32).toString('base64url'),
  SVC_WORKERS: '2',
};
const nodes = await Promise.all([startSvcd(env), startSvcd(env)]);
const [node] = nodes;
await bootstrapWorkspace(env);
const dashboard = await signIn(node);

/** A new workspace with a live and a test key. */
async function newWorkspace() {
  const { id } = await dashboard.post<{ readonly id: string }>('/workspaces', { name: 'Test' });
  const { token } = await dashboard.createKey(id);
  return { id, token, testToken: (await dashboard.createKey(id, { mode: 'test' })).token };
}

interface Answer {
  readonly status: number;
  readonly requestId: string;
  readonly body: string;
}

/** Resolves with undefined if the connection breaks. */
function ask(
  origin: string,
  token: string,
  agent = new Agent(),
  path = '/v1/companies',
): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const sent = request(
      `${origin}${path}`,
      { agent, headers: bearer(token), signal: AbortSignal.timeout(ANSWERED_WITHIN_MS) },
      (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (text: string) => {
          body += text;
        });
        answer.once('error', () => resolve(undefined));
        answer.once('close', () =>
          resolve(
            answer.complete
              ? { status: answer.statusCode ?? 0, requestId: String(answer.headers['request-id']), body }
              : undefined,
          ),
        );
      },
    );
    sent.once('error', () => resolve(undefined));
    sent.end();
  });
}

/** Sends requests to both nodes, over new connections, so that all workers take part. */
const askAll = (token: string, count = REQUESTS): Promise<readonly (Answer | undefined)[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => ask(nodes[i % nodes.length]?.url ?? '', token)));

const statusesOf = (answers: readonly (Answer | undefined)[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const answer of answers)
    counts[answer?.status ?? 'broken'] = (counts[answer?.status ?? 'broken'] ?? 0) + 1;
  return counts;
};

/** The process ids of the workers of a node. */
async function workersOf(pid: number): Promise<readonly number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.trim().split(' ').map(Number);
}

test('over two nodes with two workers each, a reader of the log meets every entry once, in its order', async () => {
  const { id, token, testToken } = await newWorkspace();
  const state = { done: false };
  let turn = 0;
  const get = async (params: Params): Promise<Envelope> => {
    const { url: origin } = nodes[turn++ % nodes.length] ?? node;
    const answer = await ask(origin, testToken, undefined, urlOf('/v1/audit-log', { limit: 100, ...params }));
    expect(answer?.status).toBe(200);
    return JSON.parse(answer?.body ?? '') as Envelope;
  };
  const reading = pollOf(get, state);
  for (let round = 0; round < 3; round++) expect(statusesOf(await askAll(token))).toEqual({ 200: REQUESTS });
  state.done = true;
  const read = await reading;
  const { rows } = await pool.query<{ id: string }>(
    'select id from audit_log where workspace_id = $1 order by created_at, id',
    [id],
  );
  expect(rows.length).toBeGreaterThan(3 * REQUESTS);
  // The reader starts with the newest page of its start.
  expect(read.length).toBeGreaterThan(2 * REQUESTS);
  expect(read).toEqual(rows.map((row) => row.id).slice(-read.length));
});

test('over two nodes with two workers each, the quota is exact', async () => {
  const { id, token } = await newWorkspace();
  const quota = 150;
  await pool.query('update live_meters set live_quota = $2 where workspace_id = $1', [id, quota]);
  expect(statusesOf(await askAll(token))).toEqual({ 200: quota, 429: REQUESTS - quota });
  const { rows } = await pool.query(
    'select live_requests::int as used from live_meters where workspace_id = $1',
    [id],
  );
  expect(rows).toEqual([{ used: quota }]);
});

/** The nodes of a cluster have sessions of each other too. */
const WRITERS = `select string_agg(distinct application_name, ', ') as name from pg_stat_activity
  where datname = current_database() and query ~ '^(with logs as|\\s*select place as position)'
    and application_name not like 'citus_internal%'`;

test('only the primary writes the entries of requests', async () => {
  const { token } = await newWorkspace();
  await askAll(token, CONNECTIONS);
  const { rows } = await pool.query(
    inCluster()
      ? `select distinct result as name from run_command_on_all_nodes($$${WRITERS}$$)
         where result <> ''`
      : WRITERS,
  );
  expect(rows).toEqual([{ name: 'svcd entries' }]);
});

test('a flood of requests whose log is held delays no other workspace, and is answered when the log is free', async () => {
  const [held, free] = await Promise.all([newWorkspace(), newWorkspace()]);
  const agents = Array.from({ length: CONNECTIONS }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const askFree = () => Promise.all(agents.map((agent) => ask(node.url, free.token, agent)));
  await askFree();
  const holder = await pool.connect();
  let flood: ReturnType<typeof askAll>;
  try {
    await holder.query('begin');
    await holder.query('select from live_meters where workspace_id = $1 for update', [held.id]);
    flood = askAll(held.token);
    await expect.poll(() => waitingForLocks(pool)).toBeGreaterThan(0);
    for (let i = 0; i < CONNECTIONS; i++) {
      const started = performance.now();
      expect(statusesOf(await askFree())).toEqual({ 200: CONNECTIONS });
      expect(performance.now() - started).toBeLessThan(SOON_MS);
    }
  } finally {
    await holder.query('rollback');
    holder.release();
    for (const agent of agents) agent.destroy();
  }
  const { 200: answered = 0, ...others } = statusesOf(await flood);
  expect(answered).toBeGreaterThan(0);
  // The first ones may have waited too long on a slow machine.
  expect(Object.keys(others).filter((status) => status !== '503')).toEqual([]);
  expect((await requestEntries(pool, held.id)).length).toBe(answered);
});

/** Sends requests over `CONNECTIONS` kept connections until `done`. Returns the answers with status 200. */
async function load(origin: string, token: string, work: (answered: readonly Answer[]) => Promise<void>) {
  const answers: (Answer | undefined)[] = [];
  const answered: Answer[] = [];
  let done = false;
  const loads = Array.from({ length: CONNECTIONS }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!done) {
      const answer = await ask(origin, token, agent);
      answers.push(answer);
      if (answer?.status === 200) answered.push(answer);
    }
    agent.destroy();
  });
  await work(answered);
  done = true;
  await Promise.all(loads);
  return { answers, answered };
}

// Only Linux lists the children of a process.
test.runIf(process.platform === 'linux')(
  'kill -9 of a worker under load: every answered request has its entry, and all others continue',
  async () => {
    const { id, token } = await newWorkspace();
    const { answers, answered } = await load(node.url, token, async (soFar) => {
      await waitFor(() => expect(soFar.length).toBeGreaterThan(REQUESTS / 4));
      const [victim = 0] = await workersOf(node.pid);
      process.kill(victim, 'SIGKILL');
      const before = soFar.length;
      await waitFor(() => expect(soFar.length).toBeGreaterThan(before + REQUESTS));
    });
    const entries = new Set((await requestEntries(pool, id)).map(({ requestId }) => requestId));
    expect(answered.filter(({ requestId }) => !entries.has(requestId))).toEqual([]);
    const { 200: _, broken = 0, ...others } = statusesOf(answers);
    expect(others).toEqual({});
    expect(broken).toBeLessThanOrEqual(CONNECTIONS);
  },
);

test('a primary that is frozen: its workers answer 503, and continue when it does', async () => {
  const { id, token } = await newWorkspace();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  expect((await ask(node.url, token, agent))?.status).toBe(200);
  process.kill(node.pid, 'SIGSTOP');
  try {
    expect((await ask(node.url, token, agent))?.status).toBe(503);
  } finally {
    process.kill(node.pid, 'SIGCONT');
  }
  expect((await ask(node.url, token, agent))?.status).toBe(200);
  agent.destroy();
  // The refused request may have an entry: the primary got it, and wrote it when it continued.
  expect([2, 3]).toContain((await requestEntries(pool, id)).length);
});

test('kill -9 of a primary under load: every answered request has its entry, and the other node continues', async () => {
  const { id, token } = await newWorkspace();
  const { answered } = await load(node.url, token, async (soFar) => {
    await waitFor(() => expect(soFar.length).toBeGreaterThan(REQUESTS / 4));
    expect(await node.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
  });
  const entries = new Set((await requestEntries(pool, id)).map(({ requestId }) => requestId));
  expect(answered.filter(({ requestId }) => !entries.has(requestId))).toEqual([]);
  expect((await ask(nodes[1].url, token))?.status).toBe(200);
  expect(await nodes[1].stop()).toEqual({ code: 0, signal: null });
});
