import { randomBytes } from 'node:crypto';
import { type Embedded, useEmbedded } from '@svc/embedded-postgres';
import { dataDirectory, waitFor } from '@svc/embedded-postgres/testing';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { bootstrapWorkspace, signIn } from '../harness/dashboard-http.ts';
import { runSvcd, spawnSvcd, startSvcd } from '../harness/process.ts';
import { bearer } from '../harness/running-service.ts';

// The service has only the address of this server, so it treats it as an external one.
const dataDir = await dataDirectory();
const startServer = (): Promise<Embedded> =>
  useEmbedded({ dataDir, purpose: 'a test', log: pino({ level: 'silent' }) });

const first = await startServer();
const env = {
  SVC_DATABASE_URL: first.url,
  SVC_SECRET: randomBytes(32).toString('base64url'),
  SVC_LOG_LEVEL: 'info',
};
await first.stop();

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: unknown;
}

async function ask(url: string, token?: string): Promise<Answer> {
  const answer = await fetch(url, token === undefined ? {} : { headers: bearer(token) });
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: await answer.json() };
}

const AWAY = { status: 503, retryAfter: '1', body: { error: { code: 'unavailable' } } };

describe('a database that is away', () => {
  test('at the start: the service waits for it, and says so', async () => {
    const service = spawnSvcd(['start'], { env: { ...env, SVC_PORT: '0', SVC_WORKERS: '1' } });
    await service.printed(/the database at .* does not answer \(.*\); trying again/);
    const server = await startServer();
    await service.printed(/^svc serves/m);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    await server.stop();
  });

  test('at the start: SIGTERM ends the wait', async () => {
    const service = spawnSvcd(['start'], { env });
    await service.printed(/trying again/);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });

  test.each([['1'], ['2']])(
    'later: %s worker(s) respond with 503 in the envelope until the database is back',
    async (workers) => {
      let server = await startServer();
      const service = await startSvcd({ ...env, SVC_WORKERS: workers });
      const workspaceId = await bootstrapWorkspace(env);
      const dashboard = await signIn(service);
      const live = (await dashboard.createKey(workspaceId)).token;
      const sandbox = (await dashboard.createKey(workspaceId, { mode: 'test' })).token;
      const all = (): Promise<Answer[]> =>
        Promise.all([
          ask(`${service.url}/v1/audits`, live),
          ask(`${service.url}/v1/audits`, sandbox),
          ask(`${service.url}/readyz`),
        ]);
      expect(await all()).toMatchObject([{ status: 200 }, { status: 200 }, { status: 200 }]);

      await server.stop();
      expect(await all()).toMatchObject([AWAY, AWAY, AWAY]);
      expect(await ask(`${service.url}/healthz`)).toMatchObject({ status: 200 });

      server = await startServer();
      await waitFor(async () => {
        expect(await all()).toMatchObject([{ status: 200 }, { status: 200 }, { status: 200 }]);
      });
      expect(await service.stop()).toEqual({ code: 0, signal: null });
      await server.stop();
    },
  );

  test('a command says so in one line, with code 1', async () => {
    const { code, stderr } = await runSvcd(['bootstrap', '--email', 'a@example.com', '--workspace', 'A'], {
      env,
    });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^svcd: the database does not answer: .*\n$/)]);
  });
});
