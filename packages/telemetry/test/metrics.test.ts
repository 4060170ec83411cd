import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import Fastify from 'fastify';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { countDeliveries, measureJobs, measureRequests } from '../src/metrics.ts';

const lastSuccess = (text: string, task: string): number =>
  Number(
    new RegExp(`^svc_job_last_success_timestamp_seconds\\{task="${task}"\\} ([\\d.]+)$`, 'm').exec(text)?.[1],
  );

test('a job that fails fails as before, and is counted', async () => {
  const registry = new Registry();
  const tasks = measureJobs(registry, {
    good: () => Promise.resolve(),
    bad: () => Promise.reject(new Error('broken')),
  });
  const started = lastSuccess(await registry.metrics(), 'bad');
  expect(started).toBeGreaterThan(Date.now() / 1000 - 60);
  await tasks['good']?.();
  await expect(tasks['bad']?.()).rejects.toThrow('broken');
  const text = await registry.metrics();
  expect(text).toContain('svc_job_runs_total{task="good",outcome="succeeded"} 1');
  expect(text).toContain('svc_job_runs_total{task="bad",outcome="failed"} 1');
  expect(lastSuccess(text, 'good')).toBeGreaterThanOrEqual(started);
  expect(lastSuccess(text, 'bad')).toBe(started);
});

test('a delivery is counted by what came of it', async () => {
  const registry = new Registry();
  const send = countDeliveries(registry, async (status: number) =>
    status === 0 ? ({ kind: 'failure' } as const) : ({ kind: 'response', status } as const),
  );
  for (const status of [200, 204, 302, 500, 0]) await send(status);
  const text = await registry.metrics();
  for (const [outcome, count] of Object.entries({ delivered: 2, refused: 2, failed: 1 }))
    expect(text).toContain(`svc_webhook_attempts_total{outcome="${outcome}"} ${count}`);
});

test('a request that an earlier hook refuses does not make the number of running requests negative', async () => {
  const registry = new Registry();
  const app = Fastify();
  app.addHook('onRequest', async ({ headers }) => {
    if (headers['x-bad'] !== undefined) throw new Error('refused');
  });
  measureRequests(app, registry, () => 0);
  app.get('/v1/things', async () => ({}));
  for (let i = 0; i < 3; i++) await app.inject({ url: '/v1/things', headers: { 'x-bad': '1' } });
  await app.inject('/v1/things');
  const text = await registry.metrics();
  expect(text).toContain('svc_http_requests_running{route="/v1/things"} 0\n');
  expect(text).toContain('svc_http_requests_total{method="GET",route="/v1/things",status="500"} 3\n');
  await app.close();
});

test('a request whose client disconnects is no longer running, and has no response that is counted', async () => {
  const registry = new Registry();
  const app = Fastify();
  measureRequests(app, registry, () => 0);
  const { promise: answered, resolve: answer } = Promise.withResolvers<object>();
  app.get('/v1/things', () => answered);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /v1/things HTTP/1.1\r\nhost: a\r\n\r\nGET /v1/things HTTP/1.1\r\nhost: a\r\n\r\n');
  const running = async (): Promise<string | undefined> =>
    /^svc_http_requests_running\{route="\/v1\/things"\} (\d+)$/m.exec(await registry.metrics())?.[1];
  await expect.poll(running).toBe('2');
  socket.resetAndDestroy();
  await once(socket, 'close');
  await expect.poll(running).toBe('0');
  answer({});
  await app.close();
  expect(await running()).toBe('0');
  const text = await registry.metrics();
  expect(text).not.toContain('svc_http_requests_total{');
  expect(text).not.toContain('svc_http_request_duration_seconds_count{');
});
