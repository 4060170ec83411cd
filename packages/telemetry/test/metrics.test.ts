import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { countDeliveries, measureJobs } from '../src/metrics.ts';

test('a job that fails fails as before, and is counted', async () => {
  const registry = new Registry();
  const tasks = measureJobs(registry, {
    good: () => Promise.resolve(),
    bad: () => Promise.reject(new Error('broken')),
  });
  await tasks['good']?.();
  await expect(tasks['bad']?.()).rejects.toThrow('broken');
  const text = await registry.metrics();
  expect(text).toContain('svc_job_runs_total{task="good",outcome="succeeded"} 1');
  expect(text).toContain('svc_job_runs_total{task="bad",outcome="failed"} 1');
  expect(text).toMatch(/^svc_job_last_success_timestamp_seconds\{task="good"\} \d{10}/m);
  expect(text).not.toContain('svc_job_last_success_timestamp_seconds{task="bad"}');
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
