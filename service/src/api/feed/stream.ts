import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { whenClosed } from '@svc/http-content/reply-end';
import { clientAddress } from '@svc/ip-addresses/proxies';
import { ITEMS_PER_UNIT, STREAM_HEARTBEAT_MS } from '@svc/sdk/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { STREAM_READ_PAUSE_MS, STREAM_UNREAD_MS, WAIT_READ_PAUSE_MS } from '../../config/limits.ts';
import { errorEnvelope } from '../../http/errors.ts';
import { failureOf } from '../../http/failures.ts';
import type { AuthenticatedKey } from '../../keys/authenticate.ts';
import type { Wait, Waits, Woken } from './waits.ts';

/** One page of a stream. */
interface StreamPage {
  readonly items: readonly { readonly id: string; readonly type: string; readonly json: string }[];
  /** Where the next read begins. */
  readonly position: string;
  /** Whether the next read has more at once. */
  readonly more: boolean;
}

export interface StreamOptions {
  readonly waits: Waits;
  /** Takes the quota for 100 further changes. Throws the refusal. */
  readonly takeQuota: (key: AuthenticatedKey) => Promise<void>;
  /** Reads the changes after a position. */
  readonly read: (after: string) => Promise<StreamPage>;
  /** Called once when a stream that has sent something has ended. */
  readonly onClosed: (closed: ClosedStream) => void;
}

/** How a stream ended. */
export interface ClosedStream {
  /** How many changes were sent. */
  readonly changes: number;
  readonly durationMs: number;
  /** `client`, `shutdown` or the code of an error. */
  readonly reason: string;
}

/**
 * Responds with server-sent events: the changes after a position, and those that come, until the client disconnects, the
 * process shuts down or the key is refused. It reads the next page after the client has received the last one, so its
 * memory is bounded. The audit hook writes the entry of the request before the first byte.
 */
export async function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  key: AuthenticatedKey,
  after: string,
  options: StreamOptions,
): Promise<FastifyReply> {
  const { waits, onClosed } = options;
  const state = { changes: 0, reason: 'client', startedMs: 0 };
  let body: Readable | undefined;
  const wait = waits.open(key, clientAddress(request), (failure) => {
    state.reason = failure === undefined ? 'shutdown' : failureOf(request, failure).code;
    // A client that reads nothing keeps the last page waiting. Its stream ends nevertheless.
    const cut = setTimeout(() => body?.destroy(), STREAM_UNREAD_MS);
    whenClosed(reply, () => clearTimeout(cut));
  });
  const close = (): void => {
    wait.end();
    if (state.startedMs === 0) return;
    const durationMs = Math.round(performance.now() - state.startedMs);
    onClosed({ changes: state.changes, durationMs, reason: state.reason });
  };
  try {
    await wait.confirm();
    const first = await options.read(after);
    body = Readable.from(events(request, wait, first, state, options), {
      objectMode: false,
      highWaterMark: 1,
    });
  } catch (error) {
    wait.end();
    throw error;
  }
  // The response closes in any case, also if the audit hook refuses it and nobody reads the stream.
  whenClosed(reply, close);
  // A connection that a client keeps for another request would delay the shutdown that has ended its stream.
  return reply
    .type('text/event-stream; charset=utf-8')
    .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no', connection: 'close' })
    .send(body);
}

interface StreamState {
  changes: number;
  reason: string;
  /** 0: nothing was sent. */
  startedMs: number;
}

/** The text of the stream. Without changes, it begins with an id, so that a client that gets nothing else can resume. */
async function* events(
  request: FastifyRequest,
  wait: Wait,
  first: StreamPage,
  state: StreamState,
  { waits, read, takeQuota }: Pick<StreamOptions, 'waits' | 'read' | 'takeQuota'>,
): AsyncGenerator<string> {
  state.startedMs = performance.now();
  let paid = ITEMS_PER_UNIT;
  let page = first;
  let named = first.items.at(-1)?.id ?? first.position;
  let sentMs = state.startedMs;
  /** Remembers what a text names, and when it was sent. */
  const sent = (text: string, id: string): string => {
    [named, sentMs] = [id, performance.now()];
    return text;
  };
  try {
    yield `retry: ${RETRY_MS}\n${first.items.length === 0 ? `id: ${named}\n` : ''}\n`;
    for (;;) {
      const { items } = page;
      if (state.changes + items.length > paid) {
        await takeQuota(wait.key);
        paid += ITEMS_PER_UNIT;
      }
      if (items.length > 0) {
        state.changes += items.length;
        yield sent(items.map(eventOf).join(''), items.at(-1)?.id ?? named);
      }
      const readMs = performance.now();
      if (items.length === 0 && page.more) {
        // The filters leave out all that was read. The client can resume here, and others get their turn.
        if (page.position !== named) yield sent(`: searched\nid: ${page.position}\n\n`, page.position);
        await delay(WAIT_READ_PAUSE_MS);
      }
      for (let woken: Woken = 'late'; woken === 'late'; ) {
        const dueMs = sentMs + STREAM_HEARTBEAT_MS;
        woken = page.more && !wait.over ? 'changes' : await wait.next(dueMs - performance.now());
        if (woken === 'ended') return;
        if (woken === 'changes' && performance.now() < dueMs) break;
        // A filter may leave out all changes. Then the id alone moves on, so that it does not expire.
        const id = page.position === named ? '' : `id: ${page.position}\n`;
        yield sent(`: heartbeat\n${id}\n`, page.position);
      }
      // All streams of a process together read at most 200 times a second, or each 10 times, with all changes of that time.
      const pauseMs = Math.min(waits.size * STREAM_READ_PAUSE_MS, WAIT_READ_PAUSE_MS);
      if (!page.more) await delay(Math.max(0, readMs + pauseMs - performance.now()));
      page = await read(page.position);
    }
  } catch (error) {
    const failure = failureOf(request, error);
    state.reason = failure.code;
    yield `event: error\ndata: ${errorEnvelope(failure.code, failure.message)}\n\n`;
  } finally {
    // The latency of the route is the time to the first byte.
    request.waitedMs += performance.now() - state.startedMs;
  }
}

const RETRY_MS = 1_000;

const eventOf = ({ id, type, json }: StreamPage['items'][number]): string =>
  `id: ${id}\nevent: ${type}\ndata: ${json}\n\n`;
