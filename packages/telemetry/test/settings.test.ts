import { describe, expect, test } from 'vitest';
import { readTelemetrySettings } from '../src/settings.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };

function read(env: Readonly<Record<string, string>>) {
  const mistakes: string[] = [];
  return { settings: readTelemetrySettings(env, mistakes), mistakes };
}

test('nothing is exported unless an endpoint is set', () => {
  expect(read({ OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'always_on' })).toEqual({
    settings: undefined,
    mistakes: [],
  });
  expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }).settings).toBeUndefined();
  expect(read({ OTEL_SDK_DISABLED: '1' })).toEqual({ settings: undefined, mistakes: [] });
});

test.each(['true', 'True', 'TRUE'])(
  'OTEL_SDK_DISABLED=%s turns the export off, whatever the other variables say',
  (value) => {
    const env = { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_SDK_DISABLED: value };
    expect(read(env)).toEqual({ settings: undefined, mistakes: [] });
  },
);

test('by default, one request of ten is traced, and metrics are exported each minute', () => {
  expect(read(ENDPOINT)).toEqual({
    settings: {
      protocol: 'http/protobuf',
      traces: { ratio: 0.1, parentBased: true },
      metrics: { intervalMs: 60_000 },
    },
    mistakes: [],
  });
});

test('an endpoint of one signal exports only that signal', () => {
  const { settings } = read({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector/v1/traces' });
  expect(settings?.traces).toBeDefined();
  expect(settings?.metrics).toBeUndefined();
  expect(read({ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }).settings?.traces).toBeUndefined();
  expect(read({ ...ENDPOINT, OTEL_METRICS_EXPORTER: 'none' }).settings?.metrics).toBeUndefined();
});

test.each([
  ['always_on', '0.5', { ratio: 1, parentBased: false }],
  ['always_off', undefined, { ratio: 0, parentBased: false }],
  ['traceidratio', '.25', { ratio: 0.25, parentBased: false }],
  ['parentbased_always_on', undefined, { ratio: 1, parentBased: true }],
  ['parentbased_always_off', undefined, { ratio: 0, parentBased: true }],
  ['parentbased_traceidratio', '1', { ratio: 1, parentBased: true }],
])('the sampler %s with %s', (sampler, arg, expected) => {
  const env = { ...ENDPOINT, OTEL_TRACES_SAMPLER: sampler, ...(arg && { OTEL_TRACES_SAMPLER_ARG: arg }) };
  expect(read(env)).toMatchObject({ settings: { traces: expected }, mistakes: [] });
});

describe('a wrong value is a mistake that names its variable', () => {
  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318', 'must be a URL that starts with http:// or https://.'],
    [
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
      'grpc://user:secret@host',
      'must be a URL that starts with http:// or https://.',
    ],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'must be one of http/protobuf, http/json, not "grpc".'],
    [
      'OTEL_EXPORTER_OTLP_HEADERS',
      'a=b,secret',
      'must be pairs such as key1=value1,key2=value2; pair 2 is not one.',
    ],
    [
      'OTEL_EXPORTER_OTLP_HEADERS',
      'a=%zz',
      'must be pairs such as key1=value1,key2=value2; pair 1 is not one.',
    ],
    ['OTEL_RESOURCE_ATTRIBUTES', '=b', 'must be pairs such as key1=value1,key2=value2; pair 1 is not one.'],
    [
      'OTEL_RESOURCE_ATTRIBUTES',
      'a=b,build=YWI=',
      'must be pairs such as key1=value1,key2=value2; pair 2 is not one.',
    ],
    ['OTEL_EXPORTER_OTLP_CERTIFICATE', '/no/such.pem', 'must be a file that the service can read.'],
    [
      'OTEL_EXPORTER_OTLP_TIMEOUT',
      '10s',
      'must be milliseconds, an integer from 1 to 2147483647, not "10s".',
    ],
    ['OTEL_EXPORTER_OTLP_COMPRESSION', 'zip', 'must be one of none, gzip, not "zip".'],
    ['OTEL_METRIC_EXPORT_INTERVAL', '0', 'must be milliseconds, an integer from 1 to 2147483647, not "0".'],
    ['OTEL_TRACES_SAMPLER_ARG', '10', 'must be a number from 0 to 1, not "10".'],
    ['OTEL_TRACES_SAMPLER_ARG', 'NaN', 'must be a number from 0 to 1, not "NaN".'],
    ['OTEL_TRACES_EXPORTER', 'zipkin', 'must be one of otlp, none, not "zipkin".'],
    ['OTEL_SDK_DISABLED', 'yes', 'must be one of true, false, not "yes".'],
  ])('%s=%s', (name, value, message) => {
    expect(read({ ...ENDPOINT, [name]: value }).mistakes).toEqual([`${name} ${message}`]);
  });

  test('an unknown sampler', () => {
    const [mistake] = read({ ...ENDPOINT, OTEL_TRACES_SAMPLER: 'jaeger_remote' }).mistakes;
    expect(mistake).toMatch(/^OTEL_TRACES_SAMPLER must be one of always_on, .*, not "jaeger_remote"\.$/);
  });
});
