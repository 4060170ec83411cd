import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { bootstrapWorkspace, signIn } from '../harness/dashboard-http.ts';
import { createTestDatabase } from '../harness/database.ts';
import { type ServiceProcess, spawnSvcd, startSvcd } from '../harness/process.ts';
import { bearer } from '../harness/running-service.ts';
import { addressOfNobody } from '../harness/socket.ts';
import { attributesOf, type Collector, startCollector } from './collector.ts';

const REQUESTS = 300;
const { url } = await createTestDatabase();
const SECRET = randomBytes(32).toString('base64url');
const base = { SVC_DATABASE_URL: url, SVC_SECRET: SECRET, SVC_WORKERS: '2', SVC_LOG_LEVEL: 'info' };
const untraced = await startSvcd(base);
const workspaceId = await bootstrapWorkspace(base);
const { token } = await (await signIn(untraced)).createKey(workspaceId);

const startWith = (endpoint: string, env: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> =>
  startSvcd({
    ...base,
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_TIMEOUT: '300',
    OTEL_METRIC_EXPORT_INTERVAL: '400',
    OTEL_TRACES_SAMPLER: 'always_on',
    ...env,
  });

/** Sends requests one after another, each of which must succeed. Returns how long the slowest took, in ms. */
async function slowestOf(
  node: ServiceProcess,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  let slowestMs = 0;
  for (let i = 0; i < REQUESTS; i++) {
    const startMs = performance.now();
    const answer = await fetch(`${node.url}/v1/companies`, { headers: { ...bearer(token), ...headers } });
    await answer.text();
    expect(answer.status).toBe(200);
    slowestMs = Math.max(slowestMs, performance.now() - startMs);
  }
  return slowestMs;
}

const brokenOf = (signal: string): string => `${signal} cannot be exported now; trying again`;
const linesOf = (node: ServiceProcess, text: string): readonly string[] =>
  node
    .stdout()
    .split('\n')
    .filter((line) => line.includes(text));

/** Longer than any of the timeouts of an export that a request could wait for. */
const SLOW_MS = 5_000;
/** The service waits at most 2 s for the last metrics and, in each process, for the last spans. */
const STOPPED_WITHIN_MS = 9_000;

describe.each(['is down', 'never responds', 'responds with 500', 'responds with garbage'])(
  'a collector that %s',
  (what) => {
    test('delays no request, is logged once, and does not keep the service from ending', async () => {
      const held: Collector | undefined = {
        'never responds': await startCollector(() => undefined),
        'responds with 500': await startCollector((response) =>
          response.writeHead(500).end('secret-of-the-collector'),
        ),
        'responds with garbage': await startCollector((response) => response.writeHead(400).end('{')),
      }[what];
      const node = await startWith(held?.url ?? (await addressOfNobody()));
      expect(await slowestOf(node)).toBeLessThan(SLOW_MS);
      await node.printed(new RegExp(brokenOf('traces')));
      await slowestOf(node);
      expect(linesOf(node, brokenOf('traces'))).toHaveLength(1);
      expect(node.stdout()).not.toContain('secret-of-the-collector');
      const startMs = performance.now();
      expect(await node.stop()).toMatchObject({ code: 0 });
      expect(performance.now() - startMs).toBeLessThan(STOPPED_WITHIN_MS);
    });
  },
);

test('an outage that ends is logged, and the next one too', async () => {
  let broken = true;
  const collector = await startCollector((response) => response.writeHead(broken ? 400 : 200).end('{}'));
  const node = await startWith(collector.url, { OTEL_TRACES_EXPORTER: 'none' });
  await node.printed(new RegExp(brokenOf('metrics')));
  broken = false;
  await node.printed(/metrics are exported again/);
  broken = true;
  await expect.poll(() => linesOf(node, brokenOf('metrics'))).toHaveLength(2);
  await node.stop();
});

test('clients cannot have all of their requests traced', async () => {
  const collector = await startCollector();
  const env = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };
  const node = await startWith(collector.url, env);
  const startMs = performance.now();
  await slowestOf(node, { traceparent: `00-${randomBytes(16).toString('hex')}-${'cd'.repeat(8)}-01` });
  const seconds = (performance.now() - startMs) / 1000;
  await node.stop();
  const traced = collector.spans().filter((span) => attributesOf(span)['http.route'] !== undefined).length;
  const workers = 2;
  expect(traced).toBeGreaterThan(0);
  expect(traced).toBeLessThanOrEqual(Math.ceil(workers * 10 * (1 + seconds)));
  expect(traced).toBeLessThan(REQUESTS / 2);
});

test('a service without an endpoint loads no module of OpenTelemetry; one with an endpoint does in each process', async () => {
  const hook = new URL('print-loaded.fixture.ts', import.meta.url).href;
  const env = { NODE_OPTIONS: `--import=${hook}` };
  const loadsOf = (node: ServiceProcess): number => node.stderr().split('loads OpenTelemetry').length - 1;
  const node = await startSvcd({ ...base, ...env, OTEL_TRACES_SAMPLER: 'always_on' });
  await slowestOf(node);
  await node.stop();
  expect(loadsOf(node)).toBe(0);
  const traced = await startWith((await startCollector()).url, env);
  await traced.stop();
  expect(loadsOf(traced)).toBe(3);
});

test('a wrong value is a clear message at the start', async () => {
  const env = { ...base, OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318', OTEL_TRACES_SAMPLER_ARG: '10 %' };
  const { ended, stderr } = spawnSvcd(['start'], { env });
  expect((await ended).code).not.toBe(0);
  expect(stderr()).toContain('2 mistakes in the settings');
  expect(stderr()).toContain(
    'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL that starts with http:// or https://.',
  );
  expect(stderr()).toContain('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "10 %".');
});
