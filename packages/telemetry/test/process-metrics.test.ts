import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createProcessMetrics, type ProcessMetrics } from '../src/process-metrics.ts';

const TIMEOUT_MS = 20;

/** A process with a counter, a histogram and a gauge. It answers unless it is frozen. */
function startProcess() {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({ name: 'requests_total', help: 'r', labelNames: ['status'], registers });
  const seconds = new Histogram({ name: 'seconds', help: 's', buckets: [1], registers });
  const open = new Gauge({ name: 'open', help: 'o', registers });
  let resume: (() => void) | undefined;
  let until = Promise.resolve();
  let reads = 0;
  return {
    serve(status: number): void {
      requests.inc({ status });
      seconds.observe(0.5);
      open.set(2);
    },
    freeze(): void {
      until = new Promise((resolve) => {
        resume = resolve;
      });
    },
    resume: (): void => resume?.(),
    reads: () => reads,
    async read(): Promise<ProcessMetrics> {
      reads++;
      await until;
      // As another process sends it.
      return structuredClone(await registry.getMetricsAsJSON());
    },
  };
}

const metricsOf = () =>
  createProcessMetrics((process: ReturnType<typeof startProcess>) => process.read(), TIMEOUT_MS);

test('a process that does not answer counts with its last answer, and is asked once', async () => {
  const [a, b] = [startProcess(), startProcess()];
  const metrics = metricsOf();
  for (const process of [a, b, b]) process.serve(200);
  expect(await (await metrics.collect([a, b])).metrics()).toContain('requests_total{status="200"} 3');
  b.freeze();
  b.serve(200);
  a.serve(200);
  for (let i = 0; i < 3; i++)
    expect(await (await metrics.collect([a, b])).metrics()).toContain('requests_total{status="200"} 4');
  expect(b.reads()).toBe(2);
  b.resume();
  expect(await (await metrics.collect([a, b])).metrics()).toContain('requests_total{status="200"} 5');
});

test('a process that has ended counts with its counters, but not with its gauges', async () => {
  const [a, b, c] = [startProcess(), startProcess(), startProcess()];
  const metrics = metricsOf();
  for (const process of [a, b, b]) process.serve(200);
  b.serve(503);
  await metrics.collect([a, b]);
  // What it sends as it ends is not counted twice.
  b.freeze();
  await metrics.collect([a, b]);
  await metrics.end(b);
  b.resume();
  c.serve(503);
  await metrics.collect([a, c]);
  await metrics.end(c);
  const text = await (await metrics.collect([a])).metrics();
  expect(text).toContain('requests_total{status="200"} 3');
  expect(text).toContain('requests_total{status="503"} 2');
  expect(text).toContain('seconds_bucket{le="1"} 5');
  expect(text).toContain('seconds_count 5');
  expect(text).toMatch(/^open 2$/m);
});
