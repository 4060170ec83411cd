import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { onFileEnd } from '../harness/cleanup.ts';
import { portOf } from '../harness/socket.ts';

type Value = { readonly stringValue?: string; readonly intValue?: number; readonly doubleValue?: number };
interface Attribute {
  readonly key: string;
  readonly value: Value;
}

/** A span as OTLP has it in JSON. */
export interface ExportedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  /** The process that recorded it. */
  readonly instance: unknown;
}

interface Points {
  readonly dataPoints: readonly { readonly attributes: readonly Attribute[]; readonly asDouble?: number }[];
}

interface ExportedMetric {
  readonly name: string;
  readonly sum?: Points & { readonly isMonotonic: boolean };
  readonly gauge?: Points;
  readonly histogram?: Points;
}

export interface Collector {
  readonly url: string;
  /** Every request so far: path, headers and body. */
  readonly requests: readonly { readonly path: string; readonly headers: object; readonly body: string }[];
  readonly spans: () => readonly ExportedSpan[];
  /** The metrics of all exports so far. */
  readonly metrics: () => readonly ExportedMetric[];
}

type Respond = (response: ServerResponse) => unknown;
const accept: Respond = (response) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');

/** Starts a collector of OTLP in JSON. It ends with the test file. */
export async function startCollector(respond: Respond = accept): Promise<Collector> {
  const requests: { path: string; headers: object; body: string }[] = [];
  const server = createServer(async (request, response) => {
    requests.push({ path: request.url ?? '', headers: request.headers, body: await text(request) });
    await respond(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onFileEnd(async () => {
    server.close();
    server.closeAllConnections();
  });
  const bodiesOf = (wanted: string) =>
    requests.filter(({ path }) => path === wanted).map(({ body }) => JSON.parse(body));
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    requests,
    spans: () =>
      bodiesOf('/v1/traces').flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ resource, scopeSpans }: { resource: Resource; scopeSpans: ScopeSpans[] }) =>
          scopeSpans.flatMap(({ spans }) =>
            spans.map((span) => ({ ...span, instance: attributesOf(resource)['service.instance.id'] })),
          ),
        ),
      ),
    metrics: () =>
      bodiesOf('/v1/metrics').flatMap(({ resourceMetrics }) =>
        resourceMetrics.flatMap(({ scopeMetrics }: { scopeMetrics: { metrics: ExportedMetric[] }[] }) =>
          scopeMetrics.flatMap(({ metrics }) => metrics),
        ),
      ),
  };
}

interface Resource {
  readonly attributes: readonly Attribute[];
}
interface ScopeSpans {
  readonly spans: readonly ExportedSpan[];
}

/** The attributes by name. */
export const attributesOf = ({ attributes }: Pick<ExportedSpan, 'attributes'>): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue]),
  );
