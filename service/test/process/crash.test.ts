import { Agent, request } from 'node:http';
import { killServer, waitFor } from '@svc/embedded-postgres/testing';
import { expect, test } from 'vitest';
import { startSvcd } from '../harness/process.ts';
import { bearer, connectEmbedded, startRunningService } from '../harness/running-service.ts';

const CONNECTIONS = 8;
const ANSWERS_BEFORE_KILL = 300;

/** Sends a request. Resolves with the Request-Id of a complete response with status 200, otherwise with undefined. */
function ask(url: string, token: string, agent: Agent): Promise<string | undefined> {
  return new Promise((resolve) => {
    const sent = request(url, { agent, headers: bearer(token) }, (answer) => {
      answer.resume();
      answer.once('error', () => resolve(undefined));
      answer.once('close', () =>
        resolve(
          answer.complete && answer.statusCode === 200 ? String(answer.headers['request-id']) : undefined,
        ),
      );
    });
    sent.once('error', () => resolve(undefined));
    sent.end();
  });
}

test.each([['1'], ['2']])(
  'kill -9 under load with %s worker(s): every answered request has its entry',
  async (workers) => {
    const { service, env, key } = await startRunningService({ SVC_WORKERS: workers, SVC_LOG_LEVEL: 'info' });
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const answered: string[] = [];
    const load = async (): Promise<void> => {
      for (;;) {
        const id = await ask(`${service.url}/v1/audits`, key.token, agent);
        if (id === undefined) return;
        answered.push(id);
      }
    };
    const loads = Promise.all(Array.from({ length: CONNECTIONS }, load));
    await waitFor(() => expect(answered.length).toBeGreaterThan(ANSWERS_BEFORE_KILL));
    expect(await service.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
    await loads;

    // The workers are gone with their primary, so the same port is free at once.
    const again = await startSvcd({ ...env, SVC_PORT: new URL(service.url).port });
    expect(again.stdout()).toContain('that another process left running');
    const client = await connectEmbedded(env['SVC_DATA_DIR'] ?? '');
    const { rows } = await client.query<{ id: string }>(
      `select doc::json ->> 'requestId' as id from audit_log where kind = 'api.request'`,
    );
    const entries = new Set(rows.map(({ id }) => id));
    expect(answered.filter((id) => !entries.has(id))).toEqual([]);
    expect(await ask(`${again.url}/v1/audits`, key.token, agent)).toBeDefined();
    expect(await again.stop()).toEqual({ code: 0, signal: null });
  },
);

/** The requests and errors of a workspace: as counted per day and per hour, and as its entries say. */
const SUMS = `
  select (select json_build_array(sum(requests), sum(errors)) from key_usage)::text as usage,
    (select json_build_array(sum(requests), sum(errors)) from traffic)::text as traffic,
    (select json_build_array(count(*), count(*) filter (where status >= 400)) from audit_log where kind = 'api.request')::text as entries,
    (select bool_and(counted_until >= last_entry_at) from usage_marks join live_meters using (workspace_id)) as complete`;

test('kill -9 again and again under load: usage and traffic are exactly those of the entries', async () => {
  const { service, env, key } = await startRunningService({ SVC_WORKERS: '2' });
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let running = service;
  for (let kills = 0; kills < 3; kills++) {
    let answered = 0;
    const { url } = running;
    const load = async (): Promise<void> => {
      while ((await ask(`${url}/v1/audits`, key.token, agent)) !== undefined) answered += 1;
    };
    const loads = Promise.all(Array.from({ length: CONNECTIONS }, load));
    // The counting runs once a second: kill at different points of it.
    await waitFor(() => expect(answered).toBeGreaterThan(ANSWERS_BEFORE_KILL * (kills + 1)));
    await running.stop('SIGKILL');
    await loads;
    running = await startSvcd({ ...env, SVC_WORKERS: '2' });
  }
  // No request has followed the last kill: the search finds what is not counted.
  const database = await connectEmbedded(env['SVC_DATA_DIR'] ?? '');
  await waitFor(async () => {
    expect((await database.query(SUMS)).rows).toMatchObject([{ complete: true }]);
  });
  const { rows } = await database.query<{ usage: string; traffic: string; entries: string }>(SUMS);
  expect(rows[0]?.usage).toBe(rows[0]?.entries);
  expect(rows[0]?.traffic).toBe(rows[0]?.entries);
  expect(await running.stop()).toEqual({ code: 0, signal: null });
});

test.each([1, 2])(
  'one of %i worker(s) that is killed is replaced, and the service continues',
  async (workers) => {
    const { service, key } = await startRunningService({ SVC_WORKERS: String(workers) });
    const [, victim = ''] = await service.printed(/"process":(\d+),"msg":"this process serves/);
    process.kill(Number(victim), 'SIGKILL');
    await service.printed(/a worker process died \(SIGKILL\)/);
    const listening = (): number => service.stdout().match(/"msg":"this process serves/g)?.length ?? 0;
    await waitFor(() => expect(listening()).toBe(workers + 1));
    for (let i = 0; i < CONNECTIONS; i++) {
      expect(await ask(`${service.url}/v1/audits`, key.token, new Agent())).toBeDefined();
    }
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  },
);

test('kill -9 of PostgreSQL: the service starts it again and continues', async () => {
  const { service, env, key } = await startRunningService({ SVC_WORKERS: '2', SVC_LOG_LEVEL: 'info' });
  await killServer(env['SVC_DATA_DIR'] ?? '', 'SIGKILL');
  await service.printed(/is running again/);
  await waitFor(async () => {
    expect(await ask(`${service.url}/v1/audits`, key.token, new Agent())).toBeDefined();
  });
  expect(await service.stop()).toEqual({ code: 0, signal: null });
});

test('a PostgreSQL that cannot be kept running ends the service with code 1 and the reason', async () => {
  const { service, env } = await startRunningService({ SVC_WORKERS: '2', SVC_LOG_LEVEL: 'info' });
  let ended = false;
  void service.ended.then(() => {
    ended = true;
  });
  await waitFor(
    async () => {
      await killServer(env['SVC_DATA_DIR'] ?? '', 'SIGKILL');
      expect(ended).toBe(true);
    },
    { timeout: 60_000 },
  );
  expect(await service.ended).toEqual({ code: 1, signal: null });
  expect(service.stderr()).toMatch(
    /^svcd: PostgreSQL could not be kept running: it was lost or could not be started 6 times within a minute/m,
  );
});
