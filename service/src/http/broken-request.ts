import { randomUUID } from 'node:crypto';
import { type IncomingMessage, METHODS, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError, errorEnvelope } from './errors.ts';

/** Answers what never becomes a request: broken HTTP, oversized headers, unknown methods, a request that does not arrive. */

/** What a connection has begun: its last request, and the responses that it still owes. */
interface Exchange {
  latest: IncomingMessage | undefined;
  readonly owed: Set<ServerResponse>;
  /** Set by the first failure: what comes after it on the connection is no request either. */
  broken: boolean;
}

const exchanges = new WeakMap<Socket, Exchange>();

function exchangeOf(socket: Socket): Exchange {
  const exchange = exchanges.get(socket) ?? { latest: undefined, owed: new Set(), broken: false };
  exchanges.set(socket, exchange);
  return exchange;
}

/** Answers in the envelope, after the responses to the requests that came before on the same connection. */
export function answerBrokenRequests(server: Server): void {
  server.on('request', (request, response) => {
    const exchange = exchangeOf(request.socket);
    exchange.latest = request;
    exchange.owed.add(response);
    response.once('close', () => exchange.owed.delete(response));
  });
  server.on('connect', (_, socket) => {
    if (socket.writable) void refuse(socket as Socket, UNKNOWN_METHOD);
  });
}

interface ParseError extends Error {
  readonly code?: string;
  /** What was being parsed. */
  readonly rawPacket?: unknown;
}

const UNKNOWN_METHOD = new ApiError('method_not_allowed', 'The method is not allowed here.', {
  Allow: 'GET, HEAD, POST, PATCH, DELETE',
});

const FAILURES: Readonly<Record<string, ApiError>> = {
  HPE_HEADER_OVERFLOW: new ApiError('headers_too_large', 'The request line or the headers are too large.'),
  ERR_HTTP_REQUEST_TIMEOUT: new ApiError('request_timeout', 'The request did not arrive in time.'),
};
const NOT_HTTP = new ApiError('invalid_request', 'The request is not valid HTTP.');

/** For the server's `clientError`. */
export function answerClientError(error: ParseError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const failure = isUnknownMethod(error) ? UNKNOWN_METHOD : (FAILURES[error.code ?? ''] ?? NOT_HTTP);
  void refuse(socket, failure);
}

const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}) \/\S* HTTP\/1\.[01]\r\n/;

/** Node.js parses only the methods that it knows; another one is a method all the same. */
function isUnknownMethod({ code, rawPacket }: ParseError): boolean {
  if (code !== 'HPE_INVALID_METHOD' || !Buffer.isBuffer(rawPacket)) return false;
  const method = REQUEST_LINE.exec(rawPacket.toString('latin1'))?.[1];
  return method !== undefined && !METHODS.includes(method);
}

async function refuse(socket: Socket, failure: ApiError): Promise<void> {
  const exchange = exchangeOf(socket);
  if (exchange.broken) return;
  exchange.broken = true;
  const { latest, owed } = exchange;
  // A request that never becomes whole is the one that fails now. Its own response, if it has begun, is the last one.
  const own = latest?.complete === false ? latest : undefined;
  const responses = [...owed];
  const before = responses.filter(({ req }) => req !== own);
  await Promise.all(before.map(closed));
  const answered = own !== undefined && responses.every(({ req, headersSent }) => req !== own || headersSent);
  if (answered) socket.end();
  else socket.end(rawAnswer(failure));
}

/** Not `once` of node:events: it rejects at an error of the response, which is its handler's concern. */
const closed = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    response.once('close', () => resolve());
  });

function rawAnswer({ code, status, message, headers }: ApiError): string {
  const body = errorEnvelope(code, message);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Request-Id: req_${randomUUID()}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
