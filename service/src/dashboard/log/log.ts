import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import type { Position } from '@svc/deployment-secrets/cursors';
import type { AuditLogEntry } from '@svc/sdk';
import { csvLine, withoutFormula } from '@svc/sdk/csv';
import type { Shares } from '@svc/turns/lane';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { createExportPlaces, takeExportPlace } from '../../api/export-guards.ts';
import { allowParameters, orInvalidParameter } from '../../api/guards.ts';
import { readPage } from '../../api/reads.ts';
import { appendEvent } from '../../audit-log/append-event.ts';
import { inTransaction } from '../../database/pool.ts';
import { statement } from '../../database/statement.ts';
import { ApiError } from '../../http/errors.ts';
import { JSON_UTF8 } from '../../http/json-type.ts';
import type { Page } from '../../list/definition.ts';
import { type ListQuery, parseListQuery } from '../../list/query.ts';
import { docsOf, readItems } from '../../list/read.ts';
import { readRecord } from '../../records/read.ts';
import { auditLog } from '../../resources/index.ts';
import type { DashboardContext } from '../context.ts';
import { EXPORT_PAGE_ENTRIES } from '../limits.ts';
import { type Access, confirmRole } from '../requests/session.ts';
import { logList } from './log-list.ts';

const LOG = '/workspaces/:workspaceId/log';
/** The formats of an export with their media types. */
const EXPORT_TYPES = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
} as const;
type ExportFormat = keyof typeof EXPORT_TYPES;

const COLUMNS = Object.keys(auditLog.fields);

type Raw = Record<string, unknown>;

/**
 * The audit log for every member: filtered lists, single entries, and a filtered range as a file. A client gets new
 * entries with `cursor=<startCursor>&direction=before`. Entries have the order of their commits, so it misses none.
 */
export function registerLog(
  api: FastifyInstance,
  { pool, changes, slow, sessions, reader }: DashboardContext,
): void {
  api.get<{ Querystring: Raw }>(LOG, async (request, reply) => {
    const { workspaceId } = await sessions.member(request, reply);
    const page = await readPage(reader, logList, request.query, { workspaceId, companyId: null });
    return reply.type(JSON_UTF8).send(page.body());
  });

  api.get<{ Params: { entryId: string } }>(`${LOG}/:entryId`, async (request, reply) => {
    const { workspaceId } = await sessions.member(request, reply);
    const scope = { workspaceId, companyId: null };
    const entry = await readRecord(pool, auditLog, scope, request.params.entryId);
    if (entry === undefined) throw new ApiError('not_found', 'There is no such entry.');
    return reply.type(JSON_UTF8).send(entry.doc);
  });

  const places = createExportPlaces();
  api.get<{ Querystring: Raw }>(`${LOG}/export`, async (request, reply) => {
    const access = await sessions.member(request, reply);
    const { format: _, ...filters } = request.query;
    const format = formatOf(request.query['format']);
    allowParameters(filters, Object.keys(logList.filters));
    const query = orInvalidParameter(parseListQuery(logList, filters));
    takeExportPlace(places, reply, access.workspaceId, access.person.id);
    await inTransaction(changes, (client) => recordExport(client, access, { format, query }));
    // A search may find nothing for a long time. A proxy should know meanwhile that there is a response.
    const onSearched = (): void => reply.raw.flushHeaders();
    // The stream asks for the next page outside of the request's asynchronous context.
    const inRequest = AsyncLocalStorage.snapshot();
    const confirm = (): Promise<unknown> => inRequest(() => sessions.member(request, reply));
    const chunks = exportChunks(slow, access, query, format, { onSearched, confirm });
    const day = new Date(reader.clock()).toISOString().slice(0, 10);
    return reply
      .type(EXPORT_TYPES[format])
      .header('content-disposition', `attachment; filename="audit-log-${day}.${format}"`)
      .send(Readable.from(chunks, { objectMode: false, highWaterMark: 1 }));
  });
}

const selectWorkspaceName = statement('workspace_name', 'request')`select name from workspaces where id = $1`;

async function recordExport(
  client: pg.ClientBase,
  access: Access,
  { format, query }: { readonly format: ExportFormat; readonly query: ListQuery },
): Promise<void> {
  const { workspaceId, by } = access;
  await confirmRole(client, access);
  const { rows } = await client.query<{ name: string }>(selectWorkspaceName(workspaceId));
  await appendEvent(client, workspaceId, by, {
    kind: 'log.exported',
    target: { id: workspaceId, label: rows[0]?.name ?? '' },
    details: { format, filters: new URLSearchParams(query.filters).toString() },
  });
}

function formatOf(value: unknown): ExportFormat {
  if (value === 'csv' || value === 'ndjson') return value;
  throw new ApiError('invalid_parameter', `"format" must be one of ${Object.keys(EXPORT_TYPES).join(', ')}.`);
}

/**
 * The entries that match the filters as the text of a file, newest first. It reads page by page, so it needs little memory
 * and no long transaction. Entries that are written during the export are newer than its first page, so it has none of them.
 * The response breaks off if `confirm` throws, because the person may no longer read the log.
 */
async function* exportChunks(
  reads: Shares,
  { workspaceId }: Access,
  filters: ListQuery,
  format: ExportFormat,
  { onSearched, confirm }: Readonly<Record<'onSearched' | 'confirm', () => unknown>>,
): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(COLUMNS);
  const query = { ...filters, limit: EXPORT_PAGE_ENTRIES };
  const scope = { workspaceId, companyId: null };
  let position: Position | undefined;
  for (;;) {
    const { data, hasMore, end }: Page = await readItems(reads, logList, query, scope, position);
    onSearched();
    // Also if there is no text: the reader may have gone away.
    yield format === 'csv' ? csvOf(data) : ndjsonOf(data);
    if (!hasMore || end === null) return;
    position = end;
    await confirm();
  }
}

const ndjsonOf = (data: string): string => docsOf(data).concat('').join('\n');

/** Text that a client has sent, such as a User-Agent, must not become a formula in a spreadsheet. */
const csvOf = (data: string): string =>
  (JSON.parse(data) as readonly AuditLogEntry[])
    .map((entry) => {
      const cells = COLUMNS.map((name) => cellOf(entry[name as keyof AuditLogEntry]));
      return csvLine(cells.map((cell) => (cell === '' ? null : withoutFormula(cell))));
    })
    .join('');

/** A list of ids as words, other objects as JSON. */
const cellOf = (value: AuditLogEntry[keyof AuditLogEntry]): string => {
  if (typeof value !== 'object' || value === null) return String(value ?? '');
  return isWords(value) ? value.join(' ') : JSON.stringify(value);
};

const isWords = (value: object): value is readonly string[] =>
  Array.isArray(value) && value.every((word) => typeof word === 'string');
