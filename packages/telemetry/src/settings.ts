import { readFileSync } from 'node:fs';

/** The standard variables of OpenTelemetry that the service reads. docs/observability.md lists them. */
export const TELEMETRY_SETTINGS = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TIMEOUT',
  'OTEL_EXPORTER_OTLP_COMPRESSION',
  'OTEL_EXPORTER_OTLP_CERTIFICATE',
  'OTEL_TRACES_EXPORTER',
  'OTEL_METRICS_EXPORTER',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'OTEL_METRIC_EXPORT_INTERVAL',
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_SDK_DISABLED',
] as const;

type Name = (typeof TELEMETRY_SETTINGS)[number];

const PROTOCOLS = ['http/protobuf', 'http/json'] as const;
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** The share of requests that are traced, if no variable says otherwise. */
const RATIO_DEFAULT = 0.1;
const INTERVAL_DEFAULT_MS = 60_000;
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Which requests are traced. */
export interface Sampling {
  /** The share of requests without a `traceparent`, from 0 to 1. */
  readonly ratio: number;
  /** Whether the `traceparent` of a request decides. */
  readonly parentBased: boolean;
}

/** What is exported. The exporters themselves read the endpoint, the headers, the timeout and the certificates. */
export interface TelemetrySettings {
  readonly protocol: (typeof PROTOCOLS)[number];
  /** Undefined: no traces. */
  readonly traces: Sampling | undefined;
  /** Undefined: no metrics. */
  readonly metrics: { readonly intervalMs: number } | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the `OTEL_…` variables. Returns undefined if no endpoint is set, or OTEL_SDK_DISABLED is true. Adds a line to
 * `mistakes` for each wrong value; the lines contain no header, no endpoint and no path.
 */
export function readTelemetrySettings(env: Environment, mistakes: string[]): TelemetrySettings | undefined {
  const text = (name: Name): string | undefined => env[name]?.trim() || undefined;
  const choice = <T extends string>(name: Name, fallback: T, allowed: readonly T[]): T => {
    const value = text(name);
    if (value === undefined) return fallback;
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined) mistakes.push(`${name} must be one of ${allowed.join(', ')}, not "${value}".`);
    return found ?? fallback;
  };
  const milliseconds = (name: Name, fallback: number): number => {
    const value = text(name) ?? String(fallback);
    const number = /^\d{1,10}$/.test(value) ? Number(value) : 0;
    if (number >= 1 && number <= TIMER_MAX_MS) return number;
    mistakes.push(`${name} must be milliseconds, an integer from 1 to ${TIMER_MAX_MS}, not "${value}".`);
    return fallback;
  };
  const url = (name: Name): boolean => {
    const value = text(name);
    if (value === undefined) return false;
    // The message does not repeat the value, which may contain a password.
    if (!['http:', 'https:'].includes(URL.parse(value)?.protocol ?? ''))
      mistakes.push(`${name} must be a URL that starts with http:// or https://.`);
    return true;
  };
  const pairs = (name: Name, endsWithSigns: boolean): void => {
    const wrong = text(name)
      ?.split(',')
      .findIndex((pair) => pair.trim() !== '' && !isPair(pair, endsWithSigns));
    if (wrong !== undefined && wrong >= 0)
      mistakes.push(`${name} must be pairs such as key1=value1,key2=value2; pair ${wrong + 1} is not one.`);
  };
  const file = (name: Name): void => {
    const path = text(name);
    try {
      if (path !== undefined) readFileSync(path);
    } catch {
      mistakes.push(`${name} must be a file that the service can read.`);
    }
  };

  if (text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined;
  const shared = url('OTEL_EXPORTER_OTLP_ENDPOINT');
  const traces = url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') || shared;
  const metrics = url('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT') || shared;
  if (!traces && !metrics) return undefined;
  if (!['false', undefined].includes(text('OTEL_SDK_DISABLED')?.toLowerCase()))
    mistakes.push(`OTEL_SDK_DISABLED must be one of true, false, not "${text('OTEL_SDK_DISABLED')}".`);
  // A header may end in the signs of base64.
  pairs('OTEL_EXPORTER_OTLP_HEADERS', true);
  pairs('OTEL_RESOURCE_ATTRIBUTES', false);
  file('OTEL_EXPORTER_OTLP_CERTIFICATE');
  milliseconds('OTEL_EXPORTER_OTLP_TIMEOUT', 1);
  choice('OTEL_EXPORTER_OTLP_COMPRESSION', 'none', ['none', 'gzip']);
  const isOn = (name: Name): boolean => choice(name, 'otlp', ['otlp', 'none']) === 'otlp';
  const sampling = readSampling(
    choice('OTEL_TRACES_SAMPLER', 'parentbased_traceidratio', SAMPLERS),
    text('OTEL_TRACES_SAMPLER_ARG'),
    mistakes,
  );
  const intervalMs = milliseconds('OTEL_METRIC_EXPORT_INTERVAL', INTERVAL_DEFAULT_MS);
  return {
    protocol: choice('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/protobuf', PROTOCOLS),
    traces: isOn('OTEL_TRACES_EXPORTER') && traces ? sampling : undefined,
    metrics: isOn('OTEL_METRICS_EXPORTER') && metrics ? { intervalMs } : undefined,
  };
}

function readSampling(
  sampler: (typeof SAMPLERS)[number],
  value: string | undefined,
  mistakes: string[],
): Sampling {
  const parentBased = sampler.startsWith('parentbased_');
  if (sampler.endsWith('always_on')) return { ratio: 1, parentBased };
  if (sampler.endsWith('always_off')) return { ratio: 0, parentBased };
  const ratio = value === undefined ? RATIO_DEFAULT : /^\d*\.?\d+$/.test(value) ? Number(value) : Number.NaN;
  if (ratio >= 0 && ratio <= 1) return { ratio, parentBased };
  mistakes.push(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "${value}".`);
  return { ratio: RATIO_DEFAULT, parentBased };
}

/**
 * Whether the text is `key=value`, as the SDK reads it: it would ignore all pairs if one is wrong. `endsWithSigns`: further
 * signs may follow the value.
 */
function isPair(text: string, endsWithSigns: boolean): boolean {
  const [key = '', value, ...more] = text.split('=');
  if (key.trim() === '' || value === undefined) return false;
  if (endsWithSigns ? more.some((part) => part !== '') : more.length > 0) return false;
  try {
    decodeURIComponent(value);
    return true;
  } catch {
    return false;
  }
}
