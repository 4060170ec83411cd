import type { HrTime } from '@opentelemetry/api';
import { hrTime, type InstrumentationScope, timeInputToHrTime } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** The metrics of prom-client: one process's, or all of a node's. */
export type ReadMetrics = () => Promise<readonly MetricObjectWithValues<MetricValue<string>>[]>;

const SCOPE: InstrumentationScope = { name: 'svc' };
/** The number of values that are integers or not: `ValueType.DOUBLE`. */
const DOUBLE = 1;

/** Gives the SDK the metrics of prom-client, so that OTLP has the figures of /metrics. */
export function metricProducer(read: ReadMetrics, resource: Resource): MetricProducer {
  const startTime = timeInputToHrTime(performance.timeOrigin);
  return {
    async collect() {
      const endTime = hrTime();
      const metrics = (await read()).flatMap((metric) => toMetricData(metric, [startTime, endTime]) ?? []);
      return { resourceMetrics: { resource, scopeMetrics: [{ scope: SCOPE, metrics }] }, errors: [] };
    },
  };
}

/** Undefined: OTLP has no such kind of metric. */
export function toMetricData(
  metric: MetricObjectWithValues<MetricValue<string>>,
  times: readonly [start: HrTime, end: HrTime],
): MetricData | undefined {
  const { name, help, values } = metric;
  const base = {
    descriptor: { name, description: help, unit: unitOf(name), valueType: DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  // prom-client's types name the kinds as numbers; its objects have their names.
  const type = String(metric.type);
  if (type === 'histogram')
    return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(values, times) };
  const dataPoints = values.map(({ value, labels }) => pointOf(labels, value, times));
  if (type === 'counter') return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
  if (type === 'gauge') return { ...base, dataPointType: DataPointType.GAUGE, dataPoints };
  return undefined;
}

type Labels = MetricValue<string>['labels'];

function pointOf<T>(labels: Labels, value: T, [startTime, endTime]: readonly [HrTime, HrTime]): DataPoint<T> {
  const attributes = Object.fromEntries(Object.entries(labels).map(([name, text]) => [name, String(text)]));
  return { startTime, endTime, attributes, value };
}

/** The buckets of prom-client are cumulative, have a label for their upper bound, and end with `+Inf`. */
function histograms(
  values: readonly (MetricValue<string> & { readonly metricName?: string })[],
  times: readonly [HrTime, HrTime],
): DataPoint<Histogram>[] {
  const parts = values.map(({ value, metricName = '', labels: { le, ...labels } }) => ({
    value,
    le: le === undefined ? undefined : le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le),
    isSum: metricName.endsWith('_sum'),
    labels,
  }));
  const series = Map.groupBy(parts, ({ labels }) => JSON.stringify(Object.entries(labels).sort()));
  return [...series.values()].map((own) => {
    const buckets = own.flatMap(({ le, value }) => (le === undefined ? [] : [{ le, value }]));
    buckets.sort((one, other) => one.le - other.le);
    const value = {
      buckets: {
        boundaries: buckets.map(({ le }) => le).filter(Number.isFinite),
        counts: buckets.map((bucket, i) => bucket.value - (buckets[i - 1]?.value ?? 0)),
      },
      sum: own.find(({ isSum }) => isSum)?.value ?? 0,
      count: buckets.at(-1)?.value ?? 0,
    };
    return pointOf(own[0]?.labels ?? {}, value, times);
  });
}

/** The unit, as UCUM writes it. The names of metrics end with it, by the convention of Prometheus. */
function unitOf(name: string): string {
  if (/_seconds(?:_total)?$/.test(name)) return 's';
  if (/_bytes(?:_total)?$/.test(name)) return 'By';
  return '1';
}
