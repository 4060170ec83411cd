import { ERRORS, type ErrorContract, STREAM_HEARTBEAT_MS } from '../contract/index.ts';
import { apiError, type SvcError, SvcNetworkError } from '../errors.ts';
import { readEnvelope } from '../http/answer.ts';
import { type ServerEvent, ServerEventParser } from '../http/server-events.ts';
import type { CallOptions, Transport } from '../http/transport.ts';
import { decodeUtf8 } from '../http/utf8.ts';
import type { Signal } from '../signal.ts';
import type { Change } from '../wire.ts';
import { type ChangeBatch, PositionedChanges } from './positioned.ts';
import type { ChangeTailOptions } from './tail.ts';

export type ChangeStreamOptions = Pick<ChangeTailOptions, 'after'>;

/**
 * Yields the changes of the workspace in the order of their commits, from one response that does not end: the service
 * sends each change when it is committed. It skips none and repeats none. Store {@link position} to continue there later.
 *
 * If the connection breaks, or nothing has come for 45 seconds, it connects again and continues after the last change. It
 * throws after as many failures in a row as the call has `retries`, and at once if connecting again cannot help, such as
 * `SvcInvalidKeyError` after the key was revoked, or `SvcPositionExpiredError`.
 *
 * It reads no further than its consumer. With a live key, each connection counts towards the quota, and so do each further
 * 100 changes.
 *
 * @example
 * const stream = svc.changes.stream({ after: stored });
 * for await (const change of stream) {
 *   await handle(change);
 *   await store(stream.position);
 * }
 */
export class ChangeStream extends PositionedChanges {}

/** After this time without a byte, a connection counts as broken: two heartbeats are missing. */
const SILENCE_MS = 3 * STREAM_HEARTBEAT_MS;
/** A connection that lasted this long has worked, even if nothing happened. */
const STEADY_MS = 10_000;
/** The longest pause before a new connection that the server can ask for. */
const RETRY_MAX_MS = 60_000;

export interface StreamSource {
  readonly transport: Transport;
  /** The path of the stream after a position, with its filters. */
  pathAfter(position: string): string;
  readonly call: CallOptions;
}

/** Yields the changes after a position as they arrive. Connects again after a failure. Never ends by itself. */
export async function* streamChanges(
  source: StreamSource,
  after: string,
  signal: Signal,
): AsyncGenerator<ChangeBatch, void, undefined> {
  const { transport, pathAfter, call } = source;
  const { now, random } = transport.timing;
  let position = after;
  let failures = 0;
  const parsed = { retryMs: 0 };
  for (;;) {
    const request = requestAfter(pathAfter, position);
    const startMs = now();
    try {
      for await (const batch of readConnection(source, request, signal, parsed)) {
        // A server that only repeats the position and disconnects makes no progress.
        if (batch.position !== position) failures = 0;
        position = batch.position;
        yield batch;
      }
      throw new SvcNetworkError('The service has ended the stream.');
    } catch (error) {
      if (now() - startMs >= STEADY_MS) failures = 0;
      failures += 1;
      const pauseMs = Math.min(parsed.retryMs, RETRY_MAX_MS) * (1 + random() / 2);
      await transport.pause(request, { error, failures, pauseMs }, { ...call, signal });
    }
  }
}

/** The position is in the URL too, in case a proxy removes the header: without one, the stream would begin now. */
const requestAfter = (pathAfter: StreamSource['pathAfter'], position: string) => ({
  method: 'GET',
  path: pathAfter(position),
  headers: { accept: 'text/event-stream', 'last-event-id': position },
});

/** Yields what one connection sends. Throws when it breaks, and the error that the service sends. */
async function* readConnection(
  { transport, call }: StreamSource,
  request: ReturnType<typeof requestAfter>,
  signal: Signal,
  parsed: { retryMs: number },
): AsyncGenerator<ChangeBatch, void, undefined> {
  const body = await transport.open(request, { ...call, signal, silenceMs: SILENCE_MS });
  try {
    const parser = new ServerEventParser();
    const decoder = new TextDecoder('utf-8', { fatal: true });
    for (let bytes = await body.read(); bytes !== undefined; bytes = await body.read()) {
      const data: Change[] = [];
      let position: string | undefined;
      let failure: unknown;
      try {
        for (const event of parser.push(decodeUtf8(decoder, bytes, damaged))) {
          if (event.event === 'error') throw errorOf(event);
          const change = event.data === undefined ? undefined : changeOf(event.data);
          if (change !== undefined) data.push(change);
          position = change?.id ?? event.id ?? position;
        }
      } catch (error) {
        // What came before it is complete.
        failure = error;
      }
      parsed.retryMs = parser.retryMs ?? parsed.retryMs;
      if (position !== undefined) yield { data, position };
      if (failure !== undefined) throw failure;
    }
  } finally {
    body.close();
  }
}

function changeOf(data: string): Change {
  let change: unknown;
  try {
    change = JSON.parse(data);
  } catch (cause) {
    throw damaged('an event is not JSON', cause);
  }
  const { id, type }: Partial<Readonly<Record<string, unknown>>> = Object(change);
  if (typeof id === 'string' && id !== '' && typeof type === 'string') return change as Change;
  throw damaged('an event is not a change');
}

/** A stream that was damaged on its way is read again after the last complete change. */
const damaged = (what: string, cause?: unknown): SvcNetworkError =>
  new SvcNetworkError(`The stream is damaged: ${what}.`, { cause });

/** The error that the service sends in place of a response with its status. */
export function errorOf({ data = '' }: Pick<ServerEvent, 'data'>): SvcError {
  const failure = readEnvelope(data);
  if (failure === undefined) return damaged('its error is not an envelope');
  const errors: Readonly<Record<string, ErrorContract>> = ERRORS;
  const status = Object.hasOwn(errors, failure.code) ? errors[failure.code]?.status : undefined;
  return apiError({ ...failure, status: status ?? 500, requestId: undefined, retryAfterMs: undefined });
}
