import { Agent, request } from 'node:http';
import { waitFor } from '@svc/embedded-postgres/testing';
import { describe, expect, test } from 'vitest';
import { bearer, connectEmbedded, startRunningService } from '../harness/running-service.ts';

const WORKERS = 3;
const FAILED_AUTH_PER_MINUTE = 7;
const BURST_LIMIT = 9;
const REQUESTS = 30;
const WINDOW_MS = 1_000;

const { service, env, workspaceId, dashboard } = await startRunningService({
  SVC_WORKERS: String(WORKERS),
  SVC_FAILED_AUTH_PER_MINUTE: String(FAILED_AUTH_PER_MINUTE),
});

/** Sends a request over a new connection, so that the workers take turns. */
function status(path: string, token: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${service.url}${path}`,
      { agent: new Agent(), headers: bearer(token) },
      (answer) => {
        answer.resume().once('close', () => resolve(answer.statusCode ?? 0));
      },
    );
    sent.once('error', reject);
    sent.end();
  });
}

const count = (codes: readonly number[], code: number): number => codes.filter((one) => one === code).length;
const statuses = (token: string): Promise<number[]> =>
  Promise.all(Array.from({ length: REQUESTS }, () => status('/v1/companies', token)));

describe('over all processes of a machine', () => {
  test('the burst limit of a key is exact', async () => {
    const client = await connectEmbedded(env['SVC_DATA_DIR'] ?? '');
    await client.query('update workspaces set burst_limit = $1', [BURST_LIMIT]);
    const { token } = await dashboard.createKey(workspaceId);
    // Repeats, to warm up the processes and to find a round that is within one window of the limit.
    await waitFor(
      async () => {
        await statuses(token);
        await waitFor(async () => expect(await status('/v1/companies', token)).toBe(200));
        const started = performance.now();
        const codes = await statuses(token);
        expect(performance.now() - started).toBeLessThan(WINDOW_MS / 2);
        // The request before the round has used one.
        expect([count(codes, 200), count(codes, 429)]).toEqual([BURST_LIMIT - 1, REQUESTS - BURST_LIMIT + 1]);
      },
      { timeout: 60_000, interval: WINDOW_MS },
    );
  });

  test('the metrics are those of every process together', async () => {
    const read = async (): Promise<number> => {
      const text = await (await fetch(`${service.url}/metrics`)).text();
      return Number(
        /^svc_http_requests_total\{method="GET",route="\/healthz",status="200"\} (\d+)$/m.exec(text)?.[1] ??
          0,
      );
    };
    await Promise.all(Array.from({ length: REQUESTS }, () => status('/healthz', '')));
    expect([await read(), await read(), await read()]).toEqual(Array(3).fill(REQUESTS));
  });

  test('the metrics have the processor time and the event loop of the primary too, each name once', async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    expect(Number(/^svc_primary_process_cpu_seconds_total ([\d.]+)$/m.exec(text)?.[1])).toBeGreaterThan(0);
    expect(text).toMatch(/^svc_primary_nodejs_eventloop_lag_seconds [\d.]+$/m);
    const types = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(types).toContain('process_cpu_seconds_total');
    expect(types).toEqual([...new Set(types)]);
  });

  test('the limit on failed authentications of an address is exact', async () => {
    const wrong = `svc_live_${'x'.repeat(32)}`;
    const codes = await statuses(wrong);
    expect([count(codes, 401), count(codes, 429)]).toEqual([
      FAILED_AUTH_PER_MINUTE,
      REQUESTS - FAILED_AUTH_PER_MINUTE,
    ]);
  });

  test('and the service ends with code 0', async () => {
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });
});
