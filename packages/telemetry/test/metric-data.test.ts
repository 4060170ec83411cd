import { DataPointType } from '@opentelemetry/sdk-metrics';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { toMetricData } from '../src/metric-data.ts';

const TIMES = [
  [1, 0],
  [2, 0],
] as const;

const registry = new Registry();
const registers = [registry];

async function dataOf(name: string) {
  const metric = (await registry.getMetricsAsJSON()).find((one) => one.name === name);
  if (metric === undefined) throw new Error(name);
  return toMetricData(metric, [[...TIMES[0]], [...TIMES[1]]]);
}

test('a histogram has the counts of its buckets per series, not added up', async () => {
  const seconds = new Histogram({
    ...{ name: 'test_seconds', help: 'A test.', labelNames: ['route'], buckets: [0.1, 1], registers },
  });
  for (const value of [0.05, 0.07, 0.5, 3]) seconds.observe({ route: '/a' }, value);
  seconds.observe({ route: '/b' }, 2);
  const data = await dataOf('test_seconds');
  expect(data).toMatchObject({
    descriptor: { name: 'test_seconds', description: 'A test.', unit: 's' },
    dataPointType: DataPointType.HISTOGRAM,
  });
  const [first, second, ...more] = data?.dataPoints ?? [];
  expect(more).toEqual([]);
  expect(first).toMatchObject({
    attributes: { route: '/a' },
    value: { buckets: { boundaries: [0.1, 1], counts: [2, 1, 1] }, count: 4 },
  });
  expect(Object(first?.value).sum).toBeCloseTo(3.62);
  expect(second).toMatchObject({
    attributes: { route: '/b' },
    value: { buckets: { boundaries: [0.1, 1], counts: [0, 0, 1] }, count: 1, sum: 2 },
  });
});

test('a counter is a sum that only grows, and a gauge is not', async () => {
  new Counter({ name: 'test_total', help: 'A test.', labelNames: ['status'], registers }).inc(
    { status: 200 },
    3,
  );
  new Gauge({ name: 'test_bytes', help: 'A test.', registers }).set(7.5);
  expect(await dataOf('test_total')).toMatchObject({
    dataPointType: DataPointType.SUM,
    isMonotonic: true,
    dataPoints: [{ attributes: { status: '200' }, value: 3, startTime: TIMES[0], endTime: TIMES[1] }],
  });
  expect(await dataOf('test_bytes')).toMatchObject({
    descriptor: { unit: 'By' },
    dataPointType: DataPointType.GAUGE,
    dataPoints: [{ attributes: {}, value: 7.5 }],
  });
});
