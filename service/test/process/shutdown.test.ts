import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { findEmbedded } from '@svc/embedded-postgres';
import { waitFor } from '@svc/embedded-postgres/testing';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { bootstrapWorkspace, signIn } from '../harness/dashboard-http.ts';
import { interrupt } from '../harness/process.ts';
import { resourceNamed, seedRecords } from '../harness/records.ts';
import {
  bearer,
  connectEmbedded,
  type RunningService,
  startRunningService,
} from '../harness/running-service.ts';
import { startReceiver } from '../harness/webhooks/receiver.ts';

const TIME = '2026-03-01T09:30:00Z';

interface Answer {
  readonly status: number | undefined;
  readonly connection: string | undefined;
  readonly body: string;
}

/** Sends a request over a connection that its agent would reuse. */
function get(url: string, token: string, agent: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers: bearer(token) }, (answer) => {
      text(answer).then(
        (body) => resolve({ status: answer.statusCode, connection: answer.headers.connection, body }),
        reject,
      );
    });
    sent.once('error', reject);
    sent.end();
  });
}

/** Locks the row that every audit entry of the workspace needs, so that the responses to its requests wait. */
async function holdAnswers({ env, workspaceId }: RunningService): Promise<pg.Client> {
  const client = await connectEmbedded(env['SVC_DATA_DIR'] ?? '');
  await client.query('begin');
  await client.query('select 1 from live_meters where workspace_id = $1 for update', [workspaceId]);
  return client;
}

async function untilOneWaits(client: pg.Client): Promise<void> {
  await waitFor(async () => {
    // Otherwise a transaction always sees the statistics of its first look.
    await client.query('select pg_stat_clear_snapshot()');
    const { rows } = await client.query(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
    expect(rows).toHaveLength(1);
  });
}

/** Opens connections, one after another, until one is refused. Each gets a response, is cut or is refused; none may hang. */
async function untilRefused(url: string): Promise<void> {
  const why = await get(url, '', new Agent()).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  );
  if (why !== 'ECONNREFUSED') await untilRefused(url);
}

describe.each([['1'], ['2']])('with %s worker(s), SIGTERM', (workers) => {
  test('finishes the request that runs, closes kept connections, takes no new ones, and ends with code 0', async () => {
    const running = await startRunningService({ SVC_WORKERS: workers });
    const { service, key, env } = running;
    const agent = new Agent({ keepAlive: true });
    const url = `${service.url}/v1/audits`;
    expect(await get(url, key.token, agent)).toMatchObject({ status: 200, connection: 'keep-alive' });

    const client = await holdAnswers(running);
    const answer = get(url, key.token, agent);
    await untilOneWaits(client);
    const ended = service.stop('SIGTERM');
    await Promise.all(Array.from({ length: 20 }, () => untilRefused(`${service.url}/healthz`)));
    await service.printed(/^Stopping/m);
    await client.query('rollback');
    expect(await answer).toMatchObject({ status: 200, connection: 'close' });
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(await findEmbedded(env['SVC_DATA_DIR'] ?? '')).toBeUndefined();
  });

  test('a second time, later, cuts the request that runs and still leaves everything in order', async () => {
    const running = await startRunningService({ SVC_WORKERS: workers });
    const { service, key, env } = running;
    const client = await holdAnswers(running);
    const answer = get(`${service.url}/v1/audits`, key.token, new Agent());
    const cut = expect(answer).rejects.toThrow(/socket hang up|ECONNRESET/);
    await untilOneWaits(client);
    expect(await interrupt(service)).toEqual({ code: 130, signal: null });
    await cut;
    expect(await findEmbedded(env['SVC_DATA_DIR'] ?? '')).toBeUndefined();
  });
});

test('SIGTERM ends connections whose request has no complete header, and does not wait for them', async () => {
  const { service } = await startRunningService();
  const { hostname, port } = new URL(service.url);
  const half = connect(Number(port), hostname);
  const closed = once(half.resume(), 'close');
  half.write('GET /v1/aud');
  await once(half, 'connect');
  // It is accepted: a request on a later connection has its response.
  expect((await get(`${service.url}/healthz`, '', new Agent())).status).toBe(200);
  const startMs = performance.now();
  expect(await service.stop('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(performance.now() - startMs).toBeLessThan(20_000);
  await closed;
});

test('SIGTERM closes a kept connection as soon as a response that had begun before has ended', async () => {
  const { service, env, key, workspaceId } = await startRunningService();
  const database = new pg.Pool({ connectionString: (await findEmbedded(env['SVC_DATA_DIR'] ?? ''))?.url });
  // The end of the database ends its connections.
  database.on('error', () => undefined);
  // More than the sockets hold.
  const excerpt = 'x'.repeat(5_000);
  const mentions = Array.from({ length: 4_000 }, (_, i) => ({
    id: `men_${i}`,
    createdAt: TIME,
    companyId: 'com_1',
    excerpt,
  }));
  await seedRecords(database, workspaceId, resourceNamed('companies'), [{ id: 'com_1', createdAt: TIME }]);
  await seedRecords(database, workspaceId, resourceNamed('mentions'), mentions);
  await database.end();
  const agent = new Agent({ keepAlive: true });
  const sent = request(`${service.url}/v1/mentions/export`, { agent, headers: bearer(key.token) }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(response.headers.connection).toBe('keep-alive');
  // Now the export waits for its client or for the lock.
  const client = await connectEmbedded(env['SVC_DATA_DIR'] ?? '');
  await client.query('begin; lock table mentions');
  const { hostname, port } = new URL(service.url);
  const half = connect(Number(port), hostname);
  half.write('GET /v1/aud');
  await once(half, 'connect');
  expect((await get(`${service.url}/healthz`, '', new Agent())).status).toBe(200);
  const startMs = performance.now();
  const ended = service.stop('SIGTERM');
  // The shutdown has ended the connections that were not in use then.
  await once(half.resume(), 'close');
  await client.query('rollback');
  // It ends an export too, after the lines that it has sent.
  expect(await text(response)).toMatch(/"unavailable".*\n$/);
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(performance.now() - startMs).toBeLessThan(20_000);
});

test('SIGTERM closes the port at once, also while a webhook waits for its receiver', async () => {
  let connected = true;
  const receiver = await startReceiver((response) =>
    response.once('close', () => {
      connected = false;
    }),
  );
  const { service, env } = await startRunningService({ SVC_WEBHOOK_NETWORKS: '127.0.0.1' });
  const workspaceId = await bootstrapWorkspace(env, 'webhooks@example.com');
  const session = await signIn(service, 'webhooks@example.com');
  const settings = { url: receiver.url, description: '', types: null, companyId: null, ordered: true };
  const { endpoint } = await session.post<{ endpoint: { id: string } }>(
    `/workspaces/${workspaceId}/webhooks`,
    settings,
  );
  await session.post(`/workspaces/${workspaceId}/webhooks/${endpoint.id}/test`);
  await expect.poll(() => receiver.received.length).toBe(1);
  const ended = service.stop('SIGTERM');
  await untilRefused(`${service.url}/healthz`);
  expect(connected).toBe(true);
  expect(await ended).toEqual({ code: 0, signal: null });
});
