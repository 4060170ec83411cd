import { SvcError } from '../errors.ts';
import type { Signal } from '../signal.ts';
import { readAnswer } from './answer.ts';
import type { FetchAnswer } from './fetch.ts';
import { type Limits, limited } from './limited.ts';

/** The body of a response that is read while it arrives. */
export interface OpenBody {
  /** Resolves with the next bytes; undefined at the end. Rejects if the connection breaks or is silent for too long. */
  read(): Promise<Uint8Array | undefined>;
  /** Ends the connection. */
  close(): void;
}

interface Reader {
  read(): Promise<{ readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

interface OpenOptions {
  readonly silenceMs: number;
  readonly nowMs: number;
  /** @default that of server-sent events */
  readonly mediaType?: string;
}

/** The media type of server-sent events. */
const EVENT_STREAM = 'text/event-stream';

/**
 * Makes one request whose response is a stream. Throws the error of another response. It reads from the
 * connection only in `read`, so that the memory of a slow reader is bounded.
 */
export async function openBody(
  request: (signal: Signal) => Promise<FetchAnswer>,
  { silenceMs, nowMs, mediaType = EVENT_STREAM, ...limits }: Limits & OpenOptions,
): Promise<OpenBody> {
  const controller = new AbortController();
  try {
    const reader = await limited(
      async (signal) => readerOf(await request(signal), nowMs, mediaType),
      limits,
      controller,
    );
    return {
      read: () =>
        limited(async () => (await reader.read()).value, { ...limits, timeoutMs: silenceMs }, controller),
      close() {
        controller.abort();
        // The body of a custom `fetch` need not know the signal.
        reader.cancel().catch(() => undefined);
      },
    };
  } catch (error) {
    controller.abort();
    throw error;
  }
}

async function readerOf(answer: FetchAnswer, nowMs: number, mediaType: string): Promise<Reader> {
  const { status, headers, body } = answer;
  if (status !== 200) readAnswer(answer, await answer.text(), nowMs);
  if (status !== 200 || headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() !== mediaType)
    throw new SvcError(
      `The response is not a stream of ${mediaType === EVENT_STREAM ? 'events' : 'records'}. Check that baseUrl is the address of svc.`,
    );
  const { getReader }: { readonly getReader?: unknown } = Object(body);
  if (typeof getReader !== 'function')
    throw new SvcError("The client's `fetch` returned a response whose `body` is not a ReadableStream.");
  return getReader.call(body) as Reader;
}
