import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import type { Format, RefusedRecord } from '../../../bulk/batches.ts';
import { importRecords } from '../../../bulk/import.ts';
import { BulkError } from '../../../bulk/target.ts';
import { ApiError } from '../../../http/errors.ts';
import { requireServable } from '../../../http/protocol-errors.ts';
import type { RawQuery } from '../../../list/query.ts';
import type { DashboardContext } from '../../context.ts';
import { IMPORT_MAX_BYTES, IMPORT_REFUSED_SHOWN, IMPORT_TEXT_SHOWN_CHARACTERS } from '../../limits.ts';
import { repeatsOf } from '../../requests/creations.ts';
import { confirmSession } from '../../requests/ended-sessions.ts';
import { confirmRole } from '../../requests/session.ts';
import type { ImportAnswer } from '../../wire.ts';
import { resourceOf } from '../data.ts';
import { type ImportParameters, importParameters } from './import-options.ts';
import { createImportPlaces, importFailure, type RunningImport, startImport } from './import-run.ts';

const FORMATS: Readonly<Record<string, Format>> = { 'text/csv': 'csv', 'application/x-ndjson': 'ndjson' };
const MIB = 1024 * 1024;

/**
 * Imports a file of records as `svcd import` does: valid records are inserted, and each refused one is reported with its
 * line and reason. If the file breaks off (the page was closed), the records until then stay, and the log says so. A
 * repeat with the same Idempotency-Key adds the rest of the same file. If the whole file was read, it adds nothing. With
 * `dryRun`, nothing is written, and the response says what the import would do.
 */
export function registerImports(
  api: FastifyInstance,
  { pool, sessions, signals, clock }: DashboardContext,
): void {
  const takePlace = createImportPlaces();
  const plugin: FastifyPluginAsync = async (scope) => {
    const bodyTypes = Object.keys(FORMATS);
    // The body stays a stream.
    scope.addContentTypeParser(bodyTypes, (_request, payload, parsed) => parsed(null, payload));
    scope.post<{ Params: { resource: string }; Querystring: RawQuery; Body: IncomingMessage }>(
      '/workspaces/:workspaceId/imports/:resource',
      { config: { bodyTypes, creates: true } },
      async (request, reply): Promise<ImportAnswer> => {
        const access = await sessions.member(request, reply, 'record.import');
        const { workspaceId, by, person } = access;
        const resource = resourceOf(request.params);
        const parameters = importParameters(request.query);
        const { fileName, dryRun, ...options } = parameters;
        const { body } = request;
        if (Number(request.headers['content-length'] ?? 0) > IMPORT_MAX_BYTES) throw tooLarge();
        // The run compares the file, so the body is not part of the comparison.
        const repeats = repeatsOf(request, person, comparedOf(parameters));
        const freePlace = takePlace(workspaceId, person.id);
        let running: RunningImport | undefined;
        const refusedLines: ImportAnswer['refusedLines'][number][] = [];
        try {
          running = dryRun ? undefined : await startImport(pool, workspaceId, repeats, clock);
          const run = running?.run;
          const upload = watched(body, running?.alive);
          const { inserted, existing, replaced, refused } = await importRecords({
            pool,
            workspaceId,
            resource,
            by,
            ...(fileName === undefined ? {} : { fileName }),
            confirm: async (client) => {
              await confirmSession(client, request);
              await confirmRole(client, access);
            },
            format: formatOf(request.headers['content-type']),
            ...options,
            dryRun,
            ...(run === undefined ? {} : { run }),
            input: upload.input,
            signal: upload.signal,
            onProgress: ({ inserted: written, replaced: changed }) => {
              // Also of a refusal that comes later. A dry run writes nothing.
              if (!dryRun && written + changed > 0) reply.header('records-written', 'true');
              signals.announce(workspaceId);
            },
            onReject: (more) => {
              refusedLines.push(...more.slice(0, IMPORT_REFUSED_SHOWN - refusedLines.length).map(shown));
            },
          });
          if (upload.signal.aborted) {
            request.log.info({ workspaceId, resource: resource.name, inserted }, 'an import broke off');
            throw upload.signal.reason;
          }
          reply.code(run === undefined || run.finished ? 200 : 201);
          return {
            id: run?.importId ?? null,
            inserted,
            existing,
            replaced,
            refused,
            addedBefore: run?.inserted ?? 0,
            refusedLines,
          };
        } catch (error) {
          if (error instanceof BulkError) throw new ApiError('invalid_body', error.message);
          throw importFailure(error);
        } finally {
          freePlace();
          await running?.end();
          // A client that still sends the body reads the response only after that.
          body.resume();
        }
      },
    );
  };
  api.register(plugin);
}

/** What a repeat must have in common with the first request. Null: nothing, as in versions without these parameters. */
function comparedOf({ columns, replace }: ImportParameters): object | null {
  return columns.size === 0 && !replace ? null : { columns: [...columns], replace };
}

interface Upload {
  readonly input: Readable;
  /** Aborted if the body is too large or breaks off. The reason is the error to respond with. */
  readonly signal: AbortSignal;
}

/** Reads the body. If it breaks off, the input ends without an error: the records until then are written and logged. */
function watched(body: IncomingMessage, onBytes: (() => void) | undefined): Upload {
  const controller = new AbortController();
  async function* bytes(): AsyncGenerator<Buffer> {
    let read = 0;
    try {
      // It may have broken off before anybody read it.
      requireServable(body);
      // The body stays open, because the response uses the same connection.
      for await (const chunk of body.iterator({ destroyOnReturn: false })) {
        read += chunk.length;
        if (read > IMPORT_MAX_BYTES) throw tooLarge();
        onBytes?.();
        yield chunk;
      }
    } catch (error) {
      controller.abort(
        error instanceof ApiError
          ? error
          : new ApiError('invalid_request', 'The file did not arrive completely.'),
      );
    } finally {
      // The import may have failed while this waited for a chunk. A slow client sends the rest before it reads the response.
      body.resume();
    }
  }
  return { input: Readable.from(bytes(), { objectMode: false }), signal: controller.signal };
}

const tooLarge = (): ApiError =>
  new ApiError(
    'payload_too_large',
    `A file may have at most ${IMPORT_MAX_BYTES / MIB} MiB. Import a larger one with svcd import.`,
  );

const formatOf = (contentType = ''): Format =>
  FORMATS[contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''] ?? 'ndjson';

/** The part of a refused line that is kept. It is a copy, because a slice keeps the whole text in memory. */
function shown({ line, text, failures }: RefusedRecord): ImportAnswer['refusedLines'][number] {
  const part = { line, text: text.slice(0, IMPORT_TEXT_SHOWN_CHARACTERS), failures };
  return JSON.parse(JSON.stringify(part)) as typeof part;
}
