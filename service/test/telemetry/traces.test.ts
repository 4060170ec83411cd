import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { CreatedEndpoint } from '../../src/webhooks/wire.ts';
import { bootstrapWorkspace, signIn } from '../harness/dashboard-http.ts';
import { createTestDatabase } from '../harness/database.ts';
import { startSvcd } from '../harness/process.ts';
import { bearer } from '../harness/running-service.ts';
import { secret } from '../harness/secrets.ts';
import { startReceiver } from '../harness/webhooks/receiver.ts';
import { attributesOf, type ExportedSpan, startCollector } from './collector.ts';

const SERVER = 2;
const CLIENT = 3;
/** The span of the client. */
const CLIENT_SPAN = 'ab'.repeat(8);
const RECEIVER_SECRET = randomBytes(8).toString('hex');
/** Of a record. */
const NAME = `name-${randomUUID()}`;
const API_KEY = secret(randomBytes(16).toString('hex'));
const { pool, url } = await createTestDatabase();
const collector = await startCollector();
const env = {
  SVC_DATABASE_URL: url,
  SVC_SECRET: randomBytes(32).toString('base64url'),
  SVC_WORKERS: '2',
  SVC_WEBHOOK_NETWORKS: '127.0.0.0/8',
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${API_KEY}`,
  OTEL_TRACES_SAMPLER: 'parentbased_always_on',
  OTEL_METRIC_EXPORT_INTERVAL: '500',
  OTEL_SERVICE_NAME: 'records',
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
};
const node = await startSvcd(env);
const workspaceId = await bootstrapWorkspace(env);
const dashboard = await signIn(node);
const { token, key } = await dashboard.createKey(workspaceId, { access: 'write' });

/** Sends a request as part of a trace of its client. Returns its trace id. */
async function sendTraced(
  path: string,
  init: RequestInit & { readonly flags?: string } = {},
): Promise<string> {
  const traceId = randomBytes(16).toString('hex');
  const traceparent = `00-${traceId}-${CLIENT_SPAN}-${init.flags ?? '01'}`;
  const headers = { ...bearer(token), traceparent, ...init.headers };
  const answer = await fetch(`${node.url}${path}`, { ...init, headers });
  await answer.text();
  expect([...answer.headers.keys()].filter((name) => /trace|baggage/.test(name))).toEqual([]);
  return traceId;
}

const createCompany = (): Promise<string> =>
  sendTraced('/v1/companies', {
    method: 'POST',
    body: JSON.stringify({ name: NAME }),
    headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
  });

const spansOf = (traceId: string): readonly ExportedSpan[] =>
  collector.spans().filter((span) => span.traceId === traceId);

/** Waits until a trace has these spans, in any order. Returns each by the beginning of its name. */
async function traceOf(traceId: string, names: readonly string[]): Promise<(start: string) => ExportedSpan> {
  await expect
    .poll(() =>
      spansOf(traceId)
        .map(({ name }) => name)
        .sort(),
    )
    .toEqual(names.toSorted());
  return (start) => {
    const found = spansOf(traceId).find(({ name }) => name.startsWith(start));
    if (found === undefined) throw new Error(`no span ${start}`);
    return found;
  };
}

const isWithin = (inner: ExportedSpan, outer: ExportedSpan): boolean =>
  BigInt(inner.startTimeUnixNano) >= BigInt(outer.startTimeUnixNano) &&
  BigInt(inner.endTimeUnixNano) <= BigInt(outer.endTimeUnixNano);

test('the trace of a list has its request, its page statement and its commit, which the primary writes', async () => {
  const id = `request-${randomUUID()}`;
  const traceId = await sendTraced('/v1/companies?limit=3', { headers: { 'request-id': id } });
  const find = await traceOf(traceId, ['GET /v1/companies', 'page', 'audit commit']);
  const [request, page, commit] = [find('GET'), find('page'), find('audit commit')];
  expect(request).toMatchObject({ kind: SERVER, parentSpanId: CLIENT_SPAN });
  expect(attributesOf(request)).toEqual({
    'http.request.method': 'GET',
    'http.route': '/v1/companies',
    'http.response.status_code': 200,
    'svc.request_id': id,
  });
  expect(page).toMatchObject({ kind: CLIENT, parentSpanId: request.spanId, instance: request.instance });
  expect(attributesOf(page)).toEqual({ 'db.system.name': 'postgresql', 'db.query.summary': page.name });
  expect(commit.parentSpanId).toBe(request.spanId);
  expect(commit.instance).not.toBe(request.instance);
  expect(attributesOf(commit)).toEqual({ 'svc.audit.entries': 1, 'svc.audit.waited_ms': expect.any(Number) });
  expect([isWithin(page, request), isWithin(commit, request)]).toEqual([true, true]);
});

test('the trace of a write has its transaction, which commits its audit entry too', async () => {
  const traceId = await createCompany();
  const find = await traceOf(traceId, ['POST /v1/companies', 'transaction']);
  const [request, transaction] = [find('POST'), find('transaction')];
  expect(transaction).toMatchObject({ kind: CLIENT, parentSpanId: request.spanId });
  expect(isWithin(transaction, request)).toBe(true);
  expect(attributesOf(request)).toMatchObject({ 'http.response.status_code': 201 });
});

test('a path with an id is traced by its route, and its lookup by its statement', async () => {
  const traceId = await sendTraced(`/v1/companies/com_${randomUUID()}`);
  const find = await traceOf(traceId, ['GET /v1/companies/:id', 'record_companies', 'audit commit']);
  expect(attributesOf(find('GET'))).toMatchObject({ 'http.response.status_code': 404 });
});

test('a request whose client disconnects has a span without a status', async () => {
  const waiting = async (): Promise<string> => (await fetch(`${node.url}/metrics`)).text();
  const client = new AbortController();
  const [traceId, id] = [randomBytes(16).toString('hex'), `request-${randomUUID()}`];
  const headers = { ...bearer(token), traceparent: `00-${traceId}-${CLIENT_SPAN}-01`, 'request-id': id };
  const answer = fetch(`${node.url}/v1/changes?after=now&wait=30`, { headers, signal: client.signal });
  await expect.poll(waiting).toContain('svc_waiting_requests 1\n');
  client.abort();
  await expect(answer).rejects.toThrow('aborted');
  const request = (): ExportedSpan | undefined => spansOf(traceId).find(({ kind }) => kind === SERVER);
  await expect.poll(request).toBeDefined();
  expect(request()).toMatchObject({ name: 'GET /v1/changes', parentSpanId: CLIENT_SPAN });
  expect(attributesOf(request() as ExportedSpan)).toEqual({
    'http.request.method': 'GET',
    'http.route': '/v1/changes',
    'svc.request_id': id,
  });
});

test('a delivery of a webhook is a trace of its own, and passes its traceparent on without anything else', async () => {
  const receiver = await startReceiver();
  const path = `${receiver.url}/${RECEIVER_SECRET}?key=${RECEIVER_SECRET}`;
  await dashboard.post<CreatedEndpoint>(`/workspaces/${workspaceId}/webhooks`, {
    ...{ url: path, description: '', types: null, companyId: null, ordered: true },
  });
  const written = await createCompany();
  await expect.poll(() => receiver.received.length).toBe(1);
  const { traceparent = '', ...headers } = receiver.received[0]?.headers ?? {};
  const [version, traceId = '', spanId, flags] = traceparent.split('-');
  expect([version, flags]).toEqual(['00', '01']);
  expect(traceId).not.toBe(written);
  expect(Object.keys(headers).filter((name) => /trace|baggage/.test(name))).toEqual([]);
  const find = await traceOf(traceId, ['webhook delivery']);
  expect(find('webhook')).toMatchObject({ kind: CLIENT, spanId });
  expect(attributesOf(find('webhook'))).toEqual({
    'http.request.method': 'POST',
    'http.response.status_code': 204,
    'server.address': '127.0.0.1',
  });
});

test.each([
  'garbage',
  `00-${'0'.repeat(32)}-${CLIENT_SPAN}-01`,
  `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`,
  `ff-${'a'.repeat(32)}-${CLIENT_SPAN}-01`,
  `00-${'a'.repeat(32)}-${CLIENT_SPAN}-01-more`,
  `00-${'A'.repeat(32)}-${CLIENT_SPAN}-01`,
])('a traceparent that is not valid begins a trace of its own: %s', async (traceparent) => {
  const id = `request-${randomUUID()}`;
  const answer = await fetch(`${node.url}/v1/audits`, {
    headers: { ...bearer(token), traceparent, 'request-id': id },
  });
  expect(answer.status).toBe(200);
  const found = (): ExportedSpan | undefined =>
    collector.spans().find((span) => attributesOf(span)['svc.request_id'] === id);
  await expect.poll(found).toBeDefined();
  expect(found()?.parentSpanId ?? '').toBe('');
  expect(found()?.traceId).not.toMatch(/^a+$/i);
});

test('a client that does not trace its request keeps it out of the traces', async () => {
  const skipped = await sendTraced('/v1/audits', { flags: '00' });
  const traced = await sendTraced('/v1/audits');
  await expect.poll(() => spansOf(traced).length).toBe(3);
  expect(spansOf(skipped)).toEqual([]);
});

test('OTLP has the metrics of /metrics, with the same values', async () => {
  const text = await (await fetch(`${node.url}/metrics`)).text();
  const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  expect(names).toContain('svc_audit_commit_entries');
  await expect.poll(() => new Set(collector.metrics().map(({ name }) => name))).toEqual(new Set(names));
  const created = (): number | undefined =>
    collector
      .metrics()
      .findLast(({ name }) => name === 'svc_http_requests_total')
      ?.sum?.dataPoints.find((point) => {
        const { method, route, status } = attributesOf(point);
        return method === 'POST' && route === '/v1/companies' && status === '201';
      })?.asDouble;
  const expected = Number(
    /^svc_http_requests_total\{method="POST",route="\/v1\/companies",status="201"\} (\d+)/m.exec(text)?.[1],
  );
  expect(expected).toBeGreaterThan(0);
  await expect.poll(created).toBe(expected);
});

test('the exports contain no token, cookie, key, query value, id of a record or header of the collector', async () => {
  const marker = `com_${randomUUID()}`;
  const traceId = await sendTraced(`/v1/audits?companyId=${marker}&limit=7`, {
    headers: { 'user-agent': `agent-${RECEIVER_SECRET}`, cookie: `session=${RECEIVER_SECRET}` },
  });
  await expect.poll(() => spansOf(traceId).length).toBe(3);
  const { rows } = await pool.query<{ text: string }>(
    'select text from (select jsonb_each_text(to_jsonb(k)) from api_keys k) f, lateral (select (f.jsonb_each_text).*) e (name, text)' +
      " where name ~ 'hash|salt|index|^id$' and length(text) > 12",
  );
  expect(rows.length).toBeGreaterThan(0);
  const forbidden = [
    ...rows.map(({ text }) => text),
    ...[token, key.id, marker, RECEIVER_SECRET, API_KEY, env.SVC_SECRET, workspaceId, NAME],
    ...String(dashboard.headers['cookie'])
      .split('; ')
      .map((cookie) => cookie.split('=')[1] ?? ''),
  ];
  const bodies = collector.requests.map(({ body }) => body).join('\n');
  expect(forbidden.filter((text) => text === '' || bodies.includes(text))).toEqual([]);
  expect(collector.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${API_KEY}` });
  const [resource] = collector.requests
    .map(({ body }) => body)
    .filter((body) => body.includes('resourceSpans'));
  expect(resource).toContain('"stringValue":"records"');
  expect(resource).toContain('deployment.environment.name');
});

test('a service that ends exports the spans of its last requests', async () => {
  const last = await sendTraced('/v1/audits');
  expect(await node.stop()).toMatchObject({ code: 0 });
  expect(spansOf(last).length).toBe(3);
});
