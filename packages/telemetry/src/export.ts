import { ROOT_CONTEXT, type Span as SdkSpan, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { OTLPMetricExporter as JsonMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as JsonTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { AlwaysOnSampler, BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { metricProducer, type ReadMetrics } from './metric-data.ts';
import { type Report, reporting } from './outages.ts';
import { createSampler } from './sampler.ts';
import type { TelemetrySettings } from './settings.ts';
import type { SpanKind as Kind, Span, Tracing } from './tracing.ts';

/** The most spans of a process that wait to be exported. Further ones are lost. */
const SPANS_WAITING_MAX = 2_048;
const SPANS_PER_EXPORT = 512;
const SPANS_INTERVAL_MS = 1_000;
/** A collector that does not answer delays the end of a process by at most this time. */
const CLOSE_TIMEOUT_MS = 2_000;
/** A metric export must end before the next one. */
const EXPORT_TIMEOUT_MS = 10_000;

export type { ReadMetrics };

export interface TelemetryOptions {
  readonly settings: TelemetrySettings;
  /** Names this process: `service.instance.id`. */
  readonly instance: string;
  readonly version: string;
  /** Is told when exports begin to fail, and when they work again. */
  readonly report: Report;
  /** The metrics to export. Undefined: this process exports none. */
  readonly readMetrics?: ReadMetrics;
}

/** The export of one process. */
export interface Telemetry {
  /** Undefined: no traces are exported. */
  readonly tracing: Tracing | undefined;
  /** Exports the metrics a last time. Resolves within {@link CLOSE_TIMEOUT_MS}. */
  readonly closeMetrics: () => Promise<void>;
  /** Exports the spans that have ended. Resolves within {@link CLOSE_TIMEOUT_MS}. */
  readonly close: () => Promise<void>;
}

/**
 * Starts to export with the official SDK. The exporters read their endpoint, headers, timeout, compression and certificates
 * from the environment. Exports run in the background, one at a time, and what waits for them is bounded.
 */
export function startTelemetry(options: TelemetryOptions): Telemetry {
  const { settings, instance, version, report, readMetrics } = options;
  const isJson = settings.protocol === 'http/json';
  const resource = resourceFromAttributes({
    'service.name': 'svc',
    'service.version': version,
    'service.instance.id': instance,
  }).merge(resourceFromAttributes(envDetector.detect().attributes ?? {}));
  const spans =
    settings.traces &&
    new BasicTracerProvider({
      resource,
      // createSampler decides before there is a span. Without this, the SDK would read OTEL_TRACES_SAMPLER too.
      sampler: new AlwaysOnSampler(),
      spanProcessors: [
        new BatchSpanProcessor(
          reporting(isJson ? new JsonTraceExporter() : new ProtobufTraceExporter(), 'traces', report),
          {
            maxQueueSize: SPANS_WAITING_MAX,
            maxExportBatchSize: SPANS_PER_EXPORT,
            scheduledDelayMillis: SPANS_INTERVAL_MS,
          },
        ),
      ],
    });
  const metrics =
    settings.metrics &&
    readMetrics &&
    new MeterProvider({
      resource,
      readers: [
        new PeriodicExportingMetricReader({
          exporter: reporting(
            isJson ? new JsonMetricExporter() : new ProtobufMetricExporter(),
            'metrics',
            report,
          ),
          exportIntervalMillis: settings.metrics.intervalMs,
          exportTimeoutMillis: Math.min(EXPORT_TIMEOUT_MS, settings.metrics.intervalMs),
          metricProducers: [metricProducer(readMetrics, resource)],
        }),
      ],
    });
  return {
    tracing: settings.traces && spans && createTracing(spans, settings.traces),
    closeMetrics: () => inTime(metrics?.shutdown()),
    close: () => inTime(spans?.shutdown()),
  };
}

const KINDS: Readonly<Record<Kind, SpanKind>> = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
};

function createTracing(
  provider: BasicTracerProvider,
  sampling: NonNullable<TelemetrySettings['traces']>,
): Tracing {
  const tracer = provider.getTracer('svc');
  const sampler = createSampler(sampling);
  const wrap = (span: SdkSpan): Span => {
    const { traceId, spanId } = span.spanContext();
    return {
      traceparent: `00-${traceId}-${spanId}-01`,
      child: (name, kind, attributes = {}) =>
        wrap(tracer.startSpan(name, { kind: KINDS[kind], attributes }, trace.setSpan(ROOT_CONTEXT, span))),
      end(attributes = {}, failed = false) {
        span.setAttributes(attributes);
        if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  };
  return {
    start(name, kind, traceparent) {
      const parent = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null;
      if (!sampler.isSampled(parent === null ? undefined : (parent.traceFlags & 1) === 1)) return undefined;
      // Whether to record is decided, so the SDK always records.
      const context =
        parent === null
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true, traceFlags: 1 });
      return wrap(tracer.startSpan(name, { kind: KINDS[kind] }, context));
    },
    record({ name, parent, startMs, endMs, attributes }) {
      const context = parseTraceParent(parent);
      if (context === null) return;
      tracer
        .startSpan(name, { startTime: startMs, attributes }, trace.setSpanContext(ROOT_CONTEXT, context))
        .end(endMs);
    },
  };
}

async function inTime(end: Promise<void> | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
  });
  // What could not be exported has been reported.
  await Promise.race([end?.catch(() => undefined), late]);
  clearTimeout(timer);
}
