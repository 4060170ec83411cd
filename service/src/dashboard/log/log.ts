import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { allowParameters, orInvalidParameter } from '../../api/guards.ts';
import { readPage } from '../../api/reads.ts';
import { appendEvent } from '../../audit-log/append-event.ts';
import { inTransaction } from '../../database/pool.ts';
import { ApiError } from '../../http/errors.ts';
import { type ListQuery, parseListQuery } from '../../list/query.ts';
import { readRecord } from '../../records/read.ts';
import { auditLog } from '../../resources/index.ts';
import type { DashboardContext } from '../context.ts';
import { type Access, confirmRole } from '../requests/session.ts';
import { EXPORT_FORMATS, type ExportFormat, exportChunks } from './log-export.ts';
import { logList } from './log-list.ts';

const LOG = '/workspaces/:workspaceId/log';
const JSON_TYPE = 'application/json; charset=utf-8';
const TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

type Raw = Record<string, unknown>;

/**
 * The audit log for every member: filtered lists, single entries, and a filtered range as a file. New entries are
 * followed by `cursor=<startCursor>&direction=before`: an entry's position is its place in the order of commits, so
 * none is missed.
 */
export function registerLog(
  api: FastifyInstance,
  { pool, changes, slow, sessions, reader }: DashboardContext,
): void {
  api.get<{ Querystring: Raw }>(LOG, async (request, reply) => {
    const { workspaceId } = await sessions.member(request, reply);
    const page = await readPage(reader, logList, request.query, { workspaceId, companyId: null });
    return reply.type(JSON_TYPE).send(page.body);
  });

  api.get<{ Params: { entryId: string } }>(`${LOG}/:entryId`, async (request, reply) => {
    const { workspaceId } = await sessions.member(request, reply);
    const scope = { workspaceId, companyId: null };
    const entry = await readRecord(pool, auditLog, scope, request.params.entryId);
    if (entry === undefined) throw new ApiError('not_found', 'There is no such entry.');
    return reply.type(JSON_TYPE).send(entry.doc);
  });

  api.get<{ Querystring: Raw }>(`${LOG}/export`, async (request, reply) => {
    const access = await sessions.member(request, reply);
    const { workspaceId } = access;
    const { format: _, ...filters } = request.query;
    const format = formatOf(request.query['format']);
    allowParameters(filters, Object.keys(logList.filters));
    const query = orInvalidParameter(parseListQuery(logList, filters));
    await inTransaction(changes, (client) => recordExport(client, access, { format, query }));
    const chunks = exportChunks(slow.of(workspaceId), workspaceId, query, format);
    const day = new Date(reader.clock()).toISOString().slice(0, 10);
    return reply
      .type(TYPES[format])
      .header('content-disposition', `attachment; filename="audit-log-${day}.${format}"`)
      .send(Readable.from(chunks, { objectMode: false }));
  });
}

async function recordExport(
  client: pg.ClientBase,
  access: Access,
  { format, query }: { readonly format: ExportFormat; readonly query: ListQuery },
): Promise<void> {
  const { workspaceId, by } = access;
  await confirmRole(client, access);
  const { rows } = await client.query<{ name: string }>('select name from workspaces where id = $1', [
    workspaceId,
  ]);
  await appendEvent(client, workspaceId, by, {
    kind: 'log.exported',
    target: { id: workspaceId, label: rows[0]?.name ?? '' },
    details: { format, filters: new URLSearchParams(query.filters).toString() },
  });
}

function formatOf(value: unknown): ExportFormat {
  const format = EXPORT_FORMATS.find((known) => known === value);
  if (format !== undefined) return format;
  throw new ApiError('invalid_parameter', `"format" must be one of ${EXPORT_FORMATS.join(', ')}.`);
}
