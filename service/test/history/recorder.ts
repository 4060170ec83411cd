import type {
  Attempt,
  Copy,
  CountRead,
  EndedToken,
  Feed,
  LongPoll,
  Receiver,
  StreamReader,
  Tail,
  Walk,
  Write,
} from './history.ts';

/** A token and its name. */
export interface NamedToken {
  readonly name: string;
  readonly token: string;
  readonly live: boolean;
  readonly workspaceId: string;
}

/** A request that was begun. Without `end`, no complete response has arrived. */
interface Begun {
  readonly requestId: string;
  end(status: number | undefined): Attempt;
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
  readonly feeds: Feed[];
  readonly longPolls: LongPoll[];
  readonly streams: StreamReader[];
  readonly receivers: Receiver[];
  readonly endedTokens: EndedToken[];
  /** Records the start of a request. */
  begin(token: NamedToken): Begun;
  /** Sends one request, with a new request id, and records it. Never throws. */
  request(url: string, token: NamedToken, init?: RequestOptions): Promise<Response>;
}

export interface RequestOptions {
  readonly method?: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
  /** When the client gives up. Default: 12 seconds. */
  readonly timeoutMs?: number;
  /** The client gives up when it is aborted. */
  readonly signal?: AbortSignal;
}

/** Longer than the service takes to refuse, shorter than a client would wait. */
const TIMEOUT_MS = 12_000;

export function createRecorder(): Recorder {
  const attempts: Attempt[] = [];
  const begin = ({ name, token: _, ...token }: NamedToken): Begun => {
    const requestId = `h-${attempts.length}-${name}`;
    const begun = { ...token, requestId, token: name, startMs: performance.now() };
    const place = attempts.push({ ...begun, endMs: Number.POSITIVE_INFINITY, status: undefined }) - 1;
    return {
      requestId,
      end(status) {
        const attempt = { ...begun, endMs: performance.now(), status };
        attempts[place] = attempt;
        return attempt;
      },
    };
  };
  const request = async (
    url: string,
    token: NamedToken,
    { method = 'GET', body, idempotencyKey, timeoutMs = TIMEOUT_MS, signal }: RequestOptions = {},
  ): Promise<Response> => {
    const begun = begin(token);
    let status: number | undefined;
    let parsed: unknown;
    try {
      const response = await fetch(url, {
        method,
        headers: {
          authorization: `Bearer ${token.token}`,
          'request-id': begun.requestId,
          ...(body === undefined
            ? {}
            : { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal === undefined ? [] : [signal])]),
      });
      const text = await response.text();
      status = response.status;
      if (response.ok && text !== '') parsed = JSON.parse(text);
    } catch {
      // Without a complete response, it is unknown what was done.
      status = undefined;
    }
    return { attempt: begun.end(status), body: parsed };
  };
  return {
    ...{ attempts, begin, request, writes: [], counts: [], walks: [], tails: [], copies: [], feeds: [] },
    ...{ longPolls: [], streams: [], receivers: [], endedTokens: [] },
  };
}
