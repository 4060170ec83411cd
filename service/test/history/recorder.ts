import type { Attempt, Copy, CountRead, EndedToken, Tail, Walk, Write } from './history.ts';

/** A token and its name. */
export interface NamedToken {
  readonly name: string;
  readonly token: string;
  readonly live: boolean;
  readonly workspaceId: string;
}

interface Response {
  readonly attempt: Attempt;
  /** The parsed body of a successful response. */
  readonly body: unknown;
}

/** What the clients record while they work. */
export interface Recorder {
  readonly attempts: Attempt[];
  readonly writes: Write[];
  readonly counts: CountRead[];
  readonly walks: Walk[];
  readonly tails: Tail[];
  readonly copies: Copy[];
  readonly endedTokens: EndedToken[];
  /** Sends one request, with a new request id, and records it. Never throws. */
  request(url: string, token: NamedToken, init?: RequestOptions): Promise<Response>;
}

export interface RequestOptions {
  readonly method?: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
}

/** Longer than the service takes to refuse, shorter than a client would wait. */
const TIMEOUT_MS = 12_000;

export function createRecorder(): Recorder {
  const attempts: Attempt[] = [];
  const request = async (
    url: string,
    { name, token, live, workspaceId }: NamedToken,
    { method = 'GET', body, idempotencyKey }: RequestOptions = {},
  ): Promise<Response> => {
    const requestId = `h-${attempts.length}-${name}`;
    const startMs = performance.now();
    const position = attempts.push({
      ...{ workspaceId, requestId, token: name, live, startMs },
      ...{ endMs: Number.POSITIVE_INFINITY, status: undefined },
    });
    let status: number | undefined;
    let parsed: unknown;
    try {
      const response = await fetch(url, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'request-id': requestId,
          ...(body === undefined
            ? {}
            : { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await response.text();
      status = response.status;
      if (response.ok && text !== '') parsed = JSON.parse(text);
    } catch {
      // Without a complete response, it is unknown what was done.
      status = undefined;
    }
    const attempt = {
      ...{ workspaceId, requestId, token: name, live, startMs },
      ...{ endMs: performance.now(), status },
    };
    attempts[position - 1] = attempt;
    return { attempt, body: parsed };
  };
  return {
    ...{ attempts, request, writes: [], counts: [], walks: [], tails: [], copies: [], endedTokens: [] },
  };
}
