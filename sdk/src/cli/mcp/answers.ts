import type { Readable } from 'node:stream';

/** A request, a notification or a response (JSON-RPC). */
interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: object | undefined;
}

/** What is used of the transport of the SDK for MCP. */
interface Transport<M extends Message> {
  onmessage?: (message: M) => void;
  start(): Promise<void>;
  send(message: M): Promise<void>;
  close(): Promise<void>;
}

/** How long requests may run on after the end of the input. */
const END_MAX_MS = 5_000;

interface End {
  readonly input: NodeJS.ReadableStream;
  /** Its abort ends the wait for answers. */
  readonly signal: AbortSignal;
}

/**
 * At the end of the input, lets the transport answer the requests that run before it closes. By itself it drops their
 * answers, although they may have changed something.
 */
export function answerBeforeEnd<M extends Message>(transport: Transport<M>, { input, signal }: End): void {
  /** The ids of the requests that are not answered yet. */
  const open = new Set<unknown>();
  let onAnswered = (): void => undefined;
  const settle = (id: unknown): void => {
    open.delete(id);
    if (open.size === 0) onAnswered();
  };
  const track = ({ id, method, params }: Message): void => {
    if (method === 'notifications/cancelled') settle(Object(params).requestId);
    // A subscription is answered only when it ends.
    else if (method !== undefined && id !== undefined && method !== 'subscriptions/listen') open.add(id);
  };
  const untilAnswered = async (): Promise<void> => {
    if (open.size === 0 || signal.aborted) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      onAnswered = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
      timer = setTimeout(resolve, END_MAX_MS);
    });
    clearTimeout(timer);
  };
  const start = transport.start.bind(transport);
  transport.start = () => {
    const receive = transport.onmessage;
    transport.onmessage = (message) => {
      track(message);
      receive?.(message);
    };
    return start();
  };
  const send = transport.send.bind(transport);
  transport.send = (message) =>
    send(message).finally(() => {
      if (message.method === undefined) settle(message.id);
    });
  const close = transport.close.bind(transport);
  let answered: Promise<void> | undefined;
  // The transport also calls it at the end of the input.
  transport.close = async () => {
    if ((input as Readable).readableEnded) {
      answered ??= untilAnswered();
      await answered;
    }
    await close();
  };
}
