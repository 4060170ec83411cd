import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import type { Agents, Pinned } from './agents.ts';
import { codeSuffix, SendFailure } from './failure.ts';
import type { Target } from './target.ts';

/** What is read of a response: status line, headers, body, and everything before them. */
const READ_MAX_BYTES = 64 * 1024;
const HEADERS_MAX_BYTES = 16 * 1024;
const KEPT_BODY_BYTES = 1024;
/** With several addresses, how long one may take to connect before the next one is tried. */
const ADDRESS_TIMEOUT_MS = 2000;

export interface Exchange {
  readonly target: Target;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly owner: string;
  readonly agents: Agents;
  /** Ends the exchange. */
  readonly signal: AbortSignal;
}

/** The beginning of a response. */
export interface Head {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** At most the first kilobyte of the body. */
  readonly body: Buffer;
}

/**
 * Sends one request to the addresses of a target and reads the response, of which at most {@link READ_MAX_BYTES}. Resolves
 * with the beginning of the response. Rejects with {@link SendFailure} if no complete response comes, or with the reason of
 * the signal.
 */
export async function exchange(options: Exchange): Promise<Head> {
  try {
    return await attempt(options, true);
  } catch (error) {
    if (error instanceof StaleConnection) return attempt(options, false);
    throw error;
  }
}

/** The receiver closed an idle connection at the moment of its next use. The request can be repeated on a new one. */
class StaleConnection extends Error {}

function attempt(options: Exchange, reuse: boolean): Promise<Head> {
  const { target, body, signal } = options;
  const secure = target.url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = (secure ? https : http).request(requestOptions(options, secure, reuse));
    const progress = followProgress(request, secure);
    const end = (error: Error): void => {
      reject(error);
      request.destroy(error);
    };
    const limit = (): void => {
      const head = progress.head();
      if (head === undefined)
        end(new SendFailure('response_too_large', 'The headers of the response are too large.'));
      else {
        resolve(head);
        request.destroy();
      }
    };
    progress.onLimit(limit);
    request.on('upgrade', (_, socket) => {
      socket.destroy();
      end(new SendFailure('invalid_response', 'The receiver sent no valid HTTP response.'));
    });
    request.on('error', (error) => reject(signal.aborted ? signal.reason : progress.failure(error)));
    request.on('response', (response) => {
      response.on('end', () => {
        const head = progress.head();
        if (response.complete && head !== undefined) resolve(head);
      });
      response.on('error', (error) => reject(signal.aborted ? signal.reason : progress.failure(error)));
    });
    request.end(body);
  });
}

type ConnectOptions = Pick<TcpNetConnectOpts, 'autoSelectFamily' | 'autoSelectFamilyAttemptTimeout'>;

function requestOptions(
  options: Exchange,
  secure: boolean,
  reuse: boolean,
): RequestOptions & ConnectOptions & Pinned {
  const { target, headers, owner, agents, signal } = options;
  const { url, host, addresses } = target;
  const entries = addresses.map((address) => ({ address, family: isIP(address) }));
  return {
    method: 'POST',
    host,
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    path: url.pathname + url.search,
    headers: {
      ...headers,
      host: url.host,
      'content-length': options.body.byteLength,
      'accept-encoding': 'identity',
    },
    agent: reuse ? (secure ? agents.https : agents.http) : false,
    pin: `${owner} ${addresses.join(' ')}`,
    // No second resolution: the connection leads to an address that was checked.
    lookup: (_host, { all }, callback) => {
      const [first] = entries;
      if (all === true) callback(null, entries);
      else callback(null, first?.address ?? '', first?.family);
    },
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    maxHeaderSize: HEADERS_MAX_BYTES,
    insecureHTTPParser: false,
    signal,
    ...(secure ? { servername: isIP(host) === 0 ? host : '', rejectUnauthorized: true } : {}),
  };
}

interface Progress {
  /** The response so far; undefined before its headers. */
  head(): Head | undefined;
  onLimit(listener: () => void): void;
  /** Why the exchange failed with this error. */
  failure(error: NodeJS.ErrnoException): Error;
}

/** Records how far an exchange is, and counts everything that the receiver sends. */
function followProgress(request: ClientRequest, secure: boolean): Progress {
  let response: IncomingMessage | undefined;
  let connected = false;
  let secured = false;
  let readBytes = 0;
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let reachLimit = (): void => undefined;

  const count = (chunk: Buffer): void => {
    readBytes += chunk.byteLength;
    if (readBytes > READ_MAX_BYTES) reachLimit();
  };
  request.on('socket', (socket: Socket) => {
    connected = request.reusedSocket;
    secured = request.reusedSocket;
    if (!connected) {
      socket.once('connect', () => {
        connected = true;
      });
      socket.once('secureConnect', () => {
        secured = true;
      });
    }
    socket.on('data', count);
    request.once('close', () => socket.off('data', count));
  });
  request.on('response', (message) => {
    response = message;
    message.on('data', (chunk: Buffer) => {
      if (keptBytes >= KEPT_BODY_BYTES) return;
      const part = chunk.subarray(0, KEPT_BODY_BYTES - keptBytes);
      kept.push(part);
      keptBytes += part.byteLength;
    });
  });

  return {
    onLimit(listener) {
      reachLimit = listener;
    },
    head: () =>
      response === undefined
        ? undefined
        : {
            status: response.statusCode ?? 0,
            retryAfter: response.headers['retry-after'],
            body: Buffer.concat(kept),
          },
    failure(error) {
      if (error instanceof SendFailure) return error;
      if (request.reusedSocket && readBytes === 0) return new StaleConnection();
      const code = codeSuffix(error);
      if (!connected) return new SendFailure('unreachable', `The receiver cannot be reached${code}.`);
      if (secure && !secured)
        return new SendFailure(
          'tls_failed',
          `The receiver has no valid certificate for its host name${code}.`,
        );
      if (error.code === 'HPE_HEADER_OVERFLOW')
        return new SendFailure('response_too_large', 'The headers of the response are too large.');
      if (error.code?.startsWith('HPE_') === true)
        return new SendFailure('invalid_response', 'The receiver sent no valid HTTP response.');
      return new SendFailure('connection_lost', 'The connection ended before the response was complete.');
    },
  };
}
