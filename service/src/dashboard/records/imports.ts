import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { allowParameters } from '../../api/guards.ts';
import { BulkError } from '../../bulk/error.ts';
import { type Format, importRecords, type RefusedRecord } from '../../bulk/import.ts';
import { ApiError } from '../../http/errors.ts';
import { withoutToken } from '../../http/request.ts';
import type { RawQuery } from '../../list/query.ts';
import type { DashboardContext } from '../context.ts';
import {
  FILE_NAME_MAX_CHARACTERS,
  IMPORT_MAX_BYTES,
  IMPORT_REFUSED_SHOWN,
  IMPORT_TEXT_SHOWN_CHARACTERS,
} from '../limits.ts';
import { repeatsOf } from '../requests/creations.ts';
import { confirmRole } from '../requests/session.ts';
import { resourceOf } from './data.ts';
import { importFailure, type RunningImport, startImport } from './import-runs.ts';
import { createImportSlots } from './import-slots.ts';
import type { ImportAnswer } from './wire-data.ts';

const FORMATS: Readonly<Record<string, Format>> = { 'text/csv': 'csv', 'application/x-ndjson': 'ndjson' };
const MIB = 1024 * 1024;

/**
 * Takes a file of records as `svcd import` does: streamed, good lines in, each refused one told with its number and
 * reason. A file that stops on its way (the page was closed) leaves what was written until then, logged as such. A
 * repeat with the same Idempotency-Key adds the rest of the same file; of a file that was read to its end, nothing.
 */
export function registerImports(api: FastifyInstance, { pool, sessions, clock }: DashboardContext): void {
  const slots = createImportSlots();
  api.register((scope, _, done) => {
    const bodyTypes = Object.keys(FORMATS);
    // The body stays a stream.
    scope.addContentTypeParser(bodyTypes, (_request, payload, parsed) => parsed(null, payload));
    scope.post<{ Params: { resource: string }; Querystring: RawQuery; Body: Readable }>(
      '/workspaces/:workspaceId/imports/:resource',
      { config: { bodyTypes, creates: true } },
      async (request, reply): Promise<ImportAnswer> => {
        const access = await sessions.member(request, reply, 'record.import');
        const { workspaceId, by, person } = access;
        const resource = resourceOf(request.params);
        const fileName = fileNameOf(request.query);
        const { body } = request;
        if (Number(request.headers['content-length'] ?? 0) > IMPORT_MAX_BYTES) throw tooLarge();
        // The run compares the file.
        const repeats = repeatsOf(request, person, null);
        const leave = slots.take(workspaceId);
        let running: RunningImport | undefined;
        const refusedLines: ImportAnswer['refusedLines'][number][] = [];
        try {
          running = await startImport(pool, workspaceId, repeats, clock);
          const { run, alive } = running;
          const upload = watched(body, alive);
          const { inserted, existing, refused } = await importRecords({
            pool,
            workspaceId,
            resource,
            by,
            ...(fileName === undefined ? {} : { fileName }),
            confirm: (client) => confirmRole(client, access, 'record.import'),
            format: formatOf(request.headers['content-type']),
            run,
            input: upload.input,
            signal: upload.signal,
            onReject: (more) => {
              refusedLines.push(...more.slice(0, IMPORT_REFUSED_SHOWN - refusedLines.length).map(shown));
            },
          });
          if (upload.signal.aborted) {
            request.log.info({ workspaceId, resource: resource.name, inserted }, 'an import broke off');
            throw upload.signal.reason;
          }
          reply.code(run.finished ? 200 : 201);
          return { id: run.importId, inserted, existing, refused, addedBefore: run.inserted, refusedLines };
        } catch (error) {
          if (error instanceof BulkError) throw new ApiError('invalid_body', error.message);
          throw importFailure(error);
        } finally {
          leave();
          await running?.end();
          // What is left of the body must be taken off the wire before the answer can be read.
          body.resume();
        }
      },
    );
    done();
  });
}

interface Upload {
  readonly input: Readable;
  /** Aborted when the body is too large or does not come to its end; the reason is what to answer. */
  readonly signal: AbortSignal;
}

/** The body's bytes, which just end where they should not have: what was read until then is written and logged. */
function watched(body: Readable, onBytes: () => void): Upload {
  const controller = new AbortController();
  async function* bytes(): AsyncGenerator<Buffer> {
    let read = 0;
    try {
      // It stays open: the answer goes out on the same connection.
      for await (const chunk of body.iterator({ destroyOnReturn: false })) {
        read += chunk.length;
        if (read > IMPORT_MAX_BYTES) throw tooLarge();
        onBytes();
        yield chunk;
      }
    } catch (error) {
      controller.abort(
        error instanceof ApiError ? error : new ApiError('invalid_request', 'The file did not arrive whole.'),
      );
    } finally {
      // The import may have failed while this waited for a chunk. A slow client sends the rest before it reads the answer.
      body.resume();
    }
  }
  return { input: Readable.from(bytes(), { objectMode: false }), signal: controller.signal };
}

const tooLarge = (): ApiError =>
  new ApiError(
    'payload_too_large',
    `A file may have ${IMPORT_MAX_BYTES / MIB} MiB here. Import a larger one with svcd import.`,
  );

/** What the person's machine calls the file, for the audit log. */
function fileNameOf(query: RawQuery): string | undefined {
  allowParameters(query, ['fileName']);
  const { fileName } = query;
  if (typeof fileName !== 'string') return undefined;
  if (fileName !== '' && fileName.length <= FILE_NAME_MAX_CHARACTERS) return withoutToken(fileName);
  throw new ApiError(
    'invalid_parameter',
    `"fileName" must have 1 to ${FILE_NAME_MAX_CHARACTERS} characters.`,
  );
}

const formatOf = (contentType = ''): Format =>
  FORMATS[contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''] ?? 'ndjson';

/** What is kept of a refused line: a copy, since a part of a text keeps all of it in memory. */
function shown({ line, text, failures }: RefusedRecord): ImportAnswer['refusedLines'][number] {
  const part = { line, text: text.slice(0, IMPORT_TEXT_SHOWN_CHARACTERS), failures };
  return JSON.parse(JSON.stringify(part)) as typeof part;
}
