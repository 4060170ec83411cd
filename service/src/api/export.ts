import { pipeline, Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import type { Position } from '@svc/deployment-secrets/cursors';
import { type Encoding, encodingOf } from '@svc/http-content/encoding';
import { whenClosed } from '@svc/http-content/reply-end';
import { clientAddress } from '@svc/ip-addresses/proxies';
import { FIELDS, ITEMS_PER_UNIT, PAGE_LIMIT_MAX } from '@svc/sdk/contract';
import type { Shares } from '@svc/turns/lane';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuditWriter } from '../audit-log/audit-writer.ts';
import { errorEnvelope, unavailable } from '../http/errors.ts';
import { failureOf } from '../http/failures.ts';
import type { AuthenticatedKey } from '../keys/authenticate.ts';
import { type Page, sortsOf } from '../list/definition.ts';
import { type ListQuery, parseListQuery, type RawQuery } from '../list/query.ts';
import { docsOf, readItems } from '../list/read.ts';
import type { Resource } from '../resources/define.ts';
import { createExportPlaces, takeExportPlace } from './export-guards.ts';
import type { Wait, Waits } from './feed/waits.ts';
import { allowParameters, orInvalidParameter, requireReadable } from './guards.ts';
import { type QuotaGate, takeUnit } from './limits.ts';
import { requireOwnCompany } from './reads.ts';

export interface ExportOptions {
  readonly reads: Shares;
  readonly waits: Waits;
  readonly auditWriter: AuditWriter;
  readonly quotaGate: QuotaGate;
}

/** The export of each resource: all records that the filters of its list select, as lines of JSON, oldest first. */
export function registerExports(
  v1: FastifyInstance,
  resources: readonly Resource[],
  options: ExportOptions,
): void {
  const places = createExportPlaces();
  for (const resource of resources.filter(({ writable }) => writable)) {
    v1.get<{ Querystring: RawQuery }>(`/${resource.name}/export`, async (request, reply) => {
      const key = requireReadable(request, resource);
      const query = queryOf(resource, request.query, key);
      reply
        .type('application/x-ndjson; charset=utf-8')
        .headers({ vary: 'authorization, accept-encoding', 'x-accel-buffering': 'no' });
      // A HEAD reads no records. A stream gets no Content-Length, like that of the export.
      if (request.method === 'HEAD') {
        setEncoding(request, reply);
        return reply.send(Readable.from([]));
      }
      takeExportPlace(places, reply, key.workspaceId);
      return sendExport(request, reply, key, { ...options, resource, query });
    });
  }
}

/** The filters of the list, and its fields. The order is that of creation. */
function queryOf({ list }: Resource, raw: RawQuery, key: AuthenticatedKey): ListQuery {
  const sorted = Object.values(list.sorts).map(({ column }) => column);
  // A range is of the field that a list is sorted by.
  const filters = Object.entries(list.filters).filter(([, { column }]) => !sorted.includes(column));
  allowParameters(raw, [...filters.map(([name]) => name), FIELDS]);
  const query = orInvalidParameter(parseListQuery(list, raw));
  requireOwnCompany(query, key);
  const ascending = sortsOf(list).find(({ name }) => name === 'created-ascending') ?? query.sort;
  return { ...query, sort: ascending, limit: PAGE_LIMIT_MAX };
}

/** Sets the Content-Encoding of an export, and returns it. An error has none. */
function setEncoding(request: FastifyRequest, reply: FastifyReply): Encoding {
  const encoding = encodingOf(String(request.headers['accept-encoding'] ?? ''), ['gzip']);
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return encoding;
}

interface Export extends ExportOptions {
  readonly resource: Resource;
  readonly query: ListQuery;
}

/**
 * Sends the export. It reads the next page after the client has received the last one, so its memory is bounded, and it
 * holds no database connection meanwhile. `limitConnections` disconnects a client that reads nothing. The audit hook writes
 * the entry of the request before the first byte.
 */
async function sendExport(
  request: FastifyRequest,
  reply: FastifyReply,
  key: AuthenticatedKey,
  each: Export,
): Promise<FastifyReply> {
  const wait = each.waits.open(key, clientAddress(request));
  whenClosed(reply, wait.end);
  // From here on the export ends when the key expires. The units of quota show that of a live key only.
  await wait.confirm();
  const lines = Readable.from(linesOf(request, key, each, wait), {
    objectMode: false,
    highWaterMark: 1,
  });
  // The search may find nothing for a long time. The client should know meanwhile that there is a response.
  reply.raw.once('pipe', () => reply.raw.flushHeaders());
  if (setEncoding(request, reply) === 'identity') return reply.send(lines);
  // Sends each text at once, so that a client with gzip is not left without a byte either.
  const gzip = createGzip({ level: constants.Z_BEST_SPEED, flush: constants.Z_SYNC_FLUSH });
  pipeline(lines, gzip, () => undefined);
  return reply.send(gzip);
}

/**
 * The lines of an export, by page of 100 records. After a failure, the last line is its error: a broken connection would
 * take away what a client has received and not read yet. Before records that are not paid, it takes a unit of quota. A page
 * has fewer records if its filters have no index: then it ends after as many rows as a request may read. If it has none, it
 * is an empty line: clients and proxies end a connection that is silent for a minute. The places of exports and the turns in
 * the lane limit how many rows a workspace searches.
 */
async function* linesOf(
  request: FastifyRequest,
  key: AuthenticatedKey,
  { reads, resource, query, auditWriter, quotaGate }: Export,
  wait: Wait,
): AsyncGenerator<string> {
  const startedMs = performance.now();
  try {
    const newest = await newestSecond(reads, resource, query, key);
    let position: Position | undefined;
    let [sent, paid] = [0, ITEMS_PER_UNIT];
    while (newest !== undefined) {
      if ((await wait.next(0)) === 'ended') throw unavailable();
      const page: Page = await readItems(reads, resource.list, query, key, position);
      const lines = docsOf(page.data);
      sent += lines.length;
      if (sent > paid && key.mode === 'live') {
        await takeUnit(wait.key, auditWriter, quotaGate);
        paid += ITEMS_PER_UNIT;
      }
      if (lines.length > 0) yield `${lines.join('\n')}\n`;
      if (!page.hasMore || page.end === null || secondOf(page.end.key) > newest) break;
      position = page.end;
      if (lines.length === 0) yield '\n';
    }
  } catch (error) {
    const { code, message } = failureOf(request, error);
    yield `${errorEnvelope(code, message)}\n`;
  } finally {
    // The latency of the route is the time to the first byte.
    request.waitedMs += performance.now() - startedMs;
  }
}

/** The second of the newest record when the export begins. A page after it is the last one, so that the export ends. */
async function newestSecond(
  reads: Shares,
  { list }: Resource,
  query: ListQuery,
  key: AuthenticatedKey,
): Promise<string | undefined> {
  const [newestFirst = query.sort] = sortsOf(list);
  const page = await readItems(
    reads,
    list,
    { ...query, filters: {}, sort: newestFirst, limit: 1 },
    key,
    undefined,
  );
  return page.end === null ? undefined : secondOf(page.end.key);
}

const SECONDS_LENGTH = 19;
/** PostgreSQL writes a space or a T between date and time. */
const secondOf = (key: string): string => key.slice(0, SECONDS_LENGTH).replace(' ', 'T');
