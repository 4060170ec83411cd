import { errorOf } from '../changes/stream.ts';
import { SvcError, SvcNetworkError } from '../errors.ts';
import type { CallOptions } from '../http/transport.ts';
import { decodeUtf8 } from '../http/utf8.ts';
import { checkedSignal, type Signal } from '../signal.ts';
import { stoppable } from '../stoppable.ts';
import { listQuery } from './query.ts';
import { type Context, pathOf, splitOptions } from './read.ts';

/** The media type of an export. */
export const NDJSON = 'application/x-ndjson';
/** After this time without a byte, the connection counts as broken. */
const SILENCE_MS = 60_000;
/** The longest line, in characters. The service sends no record that is longer. */
const LINE_MAX_CHARACTERS = 8 * 1024 * 1024;

type Exported = { readonly id: string };

/**
 * Yields all records that the filters select, oldest first, from one response. A failure before the first record is retried;
 * after it, an iteration throws.
 */
export function exportRecords(
  context: Context,
  options?: CallOptions,
): AsyncGenerator<Exported, void, undefined> {
  const { call, query } = splitOptions(options);
  const request = {
    method: 'GET',
    path: `${pathOf(context.resource)}/export${listQuery(query)}`,
    headers: { accept: NDJSON },
  };
  const outer = checkedSignal(call.signal);
  return stoppable((signal) => exported(context, request, { ...call, signal }), outer);
}

type Request = Parameters<Context['transport']['open']>[0];

async function* exported(
  { transport }: Context,
  request: Request,
  call: CallOptions & { readonly signal: Signal },
): AsyncGenerator<Exported, void, undefined> {
  for (let failures = 0; ; ) {
    let started = false;
    try {
      for await (const record of readLines({ transport }, request, call)) {
        started = true;
        yield record;
      }
      return;
    } catch (error) {
      if (started) {
        if (error instanceof SvcError) error.request ??= { method: request.method, path: request.path };
        throw error;
      }
      failures += 1;
      await transport.pause(request, { error, failures }, call);
    }
  }
}

async function* readLines(
  { transport }: Pick<Context, 'transport'>,
  request: Request,
  call: CallOptions,
): AsyncGenerator<Exported, void, undefined> {
  const body = await transport.open(request, { ...call, silenceMs: SILENCE_MS, mediaType: NDJSON });
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let rest = '';
    for (let bytes = await body.read(); bytes !== undefined; bytes = await body.read()) {
      const lines = (rest + decodeUtf8(decoder, bytes, damaged)).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > LINE_MAX_CHARACTERS) throw damaged(INCOMPLETE);
      // An empty line says that the service still searches.
      for (const line of lines) if (line !== '') yield recordOf(line);
    }
    if (rest !== '') throw damaged(INCOMPLETE);
  } finally {
    body.close();
  }
}

function recordOf(line: string): Exported {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch (cause) {
    throw damaged(INCOMPLETE, cause);
  }
  if (typeof record !== 'object' || record === null) throw damaged('a line is not a record');
  if ('error' in record) throw errorOf({ data: line });
  return record as Exported;
}

const INCOMPLETE = 'a line is not complete JSON';
const damaged = (what: string, cause?: unknown): SvcNetworkError =>
  new SvcNetworkError(`The export is damaged: ${what}.`, { cause });
