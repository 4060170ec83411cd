import { createAgents } from './agents.ts';
import { exchange } from './exchange.ts';
import { type FailureReason, SendFailure } from './failure.ts';
import { createResolver, type Resolve } from './resolver.ts';
import { parseRetryAfter } from './retry-after.ts';
import { findTarget, type ReceiverPolicy } from './target.ts';

export interface SenderOptions extends ReceiverPolicy {
  /** Default: {@link createResolver}. */
  readonly resolve?: Resolve;
  /** How long a request may take, from the resolution of the host to the end of the response. Default: 15 seconds. */
  readonly timeoutMs?: number;
  /** The most connections of one owner to one receiver. More requests wait, within their time. Default: 16. */
  readonly connectionsMax?: number;
}

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Whose request this is. Requests of different owners share no connection. */
  readonly owner: string;
  /** Ends the request. */
  readonly signal?: AbortSignal;
}

/** A response with any status, or the reason why there is no complete one. */
export type SendResult = { readonly durationMs: number } & (
  | {
      readonly kind: 'response';
      readonly status: number;
      /** The first kilobyte of the body as text, without NUL. It can contain other control characters. */
      readonly body: string;
      /** Whole seconds, at least 0. Undefined if the response has no valid `Retry-After`. */
      readonly retryAfterSeconds: number | undefined;
    }
  | {
      readonly kind: 'failure';
      readonly reason: FailureReason;
      /** A sentence for the owner of the receiver. */
      readonly message: string;
    }
);

export interface WebhookSender {
  /**
   * Sends one POST request, follows no redirect, and reads at most 64 KiB of the response. If there is more, the status
   * counts and the connection closes. Rejects only with the reason of the signal of the request.
   */
  send(request: WebhookRequest): Promise<SendResult>;
  /** Closes all connections. Requests that are sent now fail. */
  end(): void;
}

const TIMEOUT_MS = 15_000;
const CONNECTIONS_MAX = 16;

/**
 * Creates a sender of requests to receivers that strangers choose. It connects only to public addresses and to the networks
 * of the policy: to exactly the addresses that it resolved and checked. Certificates must be valid for the host name.
 */
export function createWebhookSender(options: SenderOptions): WebhookSender {
  const { resolve = createResolver(), timeoutMs = TIMEOUT_MS, connectionsMax = CONNECTIONS_MAX } = options;
  const agents = createAgents(connectionsMax);

  const send = async (request: WebhookRequest, signal: AbortSignal) => {
    const target = await orAborted(findTarget(request.url, options, resolve), signal);
    const { status, body, retryAfter } = await exchange({ ...request, target, agents, signal });
    const retryAfterSeconds = parseRetryAfter(retryAfter, Date.now());
    return { kind: 'response', status, body: textOf(body), retryAfterSeconds } as const;
  };

  return {
    async send(request) {
      const start = performance.now();
      const duration = (): number => Math.round(performance.now() - start);
      const controller = new AbortController();
      // `AbortSignal.any` would keep a part of each request for as long as its signal lives.
      const abort = (): void => controller.abort(request.signal?.reason);
      const timeout = new SendFailure('timeout', `No complete response came within ${timeoutMs / 1000} s.`);
      const timer = setTimeout(() => controller.abort(timeout), timeoutMs);
      request.signal?.addEventListener('abort', abort);
      if (request.signal?.aborted === true) abort();
      try {
        return { ...(await send(request, controller.signal)), durationMs: duration() };
      } catch (error) {
        if (!(error instanceof SendFailure)) throw error;
        return { kind: 'failure', reason: error.reason, message: error.message, durationMs: duration() };
      } finally {
        clearTimeout(timer);
        request.signal?.removeEventListener('abort', abort);
      }
    },
    end: agents.end,
  };
}

/** Settles as the promise does, or rejects with the reason of the signal as soon as it is aborted. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal.aborted) reject(signal.reason);
    promise.then(resolve, reject);
  });
}

/** A character that the end of the bytes cuts is left out. */
const textOf = (bytes: Buffer): string =>
  new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD');
