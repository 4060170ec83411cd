import { type IncomingMessage, METHODS, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { REQUEST_TIMEOUT_MS } from '../config/limits.ts';
import { ApiError, errorEnvelope } from './errors.ts';
import { JSON_UTF8 } from './json-type.ts';
import { requestId } from './request.ts';

/**
 * Error responses to requests that break off or cannot be served: broken HTTP, oversized headers, unknown methods, requests
 * that do not arrive in time, expectations that cannot be met. The application answers those whose headers have arrived, so
 * that a request with a key has its audit entry.
 */

/** The state of a connection: its last request, and the responses that are not sent yet. */
interface Exchange {
  latest: IncomingMessage | undefined;
  readonly owed: ServerResponse[];
  /** Set by the first failure. After that, the bytes on the connection are not read as requests. */
  broken: boolean;
}

const exchanges = new WeakMap<Socket, Exchange>();

function exchangeOf(socket: Socket): Exchange {
  const exchange = exchanges.get(socket) ?? { latest: undefined, owed: [], broken: false };
  exchanges.set(socket, exchange);
  return exchange;
}

/** Sends these errors in the error envelope, after the responses to earlier requests of the same connection. */
export function sendProtocolErrors(server: Server): void {
  server.on('request', (request, response) => {
    const exchange = exchangeOf(request.socket);
    exchange.latest = request;
    exchange.owed.push(response);
    response.once('close', () => exchange.owed.splice(exchange.owed.indexOf(response), 1));
  });
  server.on('connect', (_, socket) => {
    if (socket.writable) void refuse(socket as Socket, UNKNOWN_METHOD);
  });
  // By default, Node responds to an `Expect` other than `100-continue` without a body.
  server.on('checkExpectation', (request, response) => {
    refuseInApplication(request, response, UNKNOWN_EXPECTATION);
    server.emit('request', request, response);
  });
}

/** The connection is cut if the application does not refuse a request within this time. No long poll waits longer. */
const REFUSAL_MAX_MS = 2 * REQUEST_TIMEOUT_MS;

/** Why requests that have reached the application are refused. */
const failures = new WeakMap<IncomingMessage, ApiError>();

/**
 * Throws the error of a request whose body has broken off, or that must be refused. Call it before a body is read: later,
 * the stream of the body fails.
 */
export function requireServable(request: IncomingMessage): void {
  const failure = failures.get(request) ?? (request.destroyed && !request.complete ? NOT_WHOLE : undefined);
  if (failure !== undefined) throw failure;
}

/** Makes the application refuse a request: at once if it reads the body, otherwise at its next {@link requireServable}. */
function refuseInApplication(request: IncomingMessage, response: ServerResponse, failure: ApiError): void {
  failures.set(request, failure);
  // The connection cannot be used again, because the body of the request may still arrive on it.
  response.shouldKeepAlive = false;
  const { code, message, headers } = failure;
  // Fastify changes the error.
  if (request.listenerCount('error') > 0) request.emit('error', new ApiError(code, message, headers));
}

interface ParseError extends Error {
  readonly code?: string;
  /** The bytes that Node could not parse. */
  readonly rawPacket?: unknown;
}

const UNKNOWN_METHOD = new ApiError('method_not_allowed', 'The method is not allowed here.', {
  Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE',
});

const UNKNOWN_EXPECTATION = new ApiError(
  'expectation_failed',
  'The only expectation that can be met is 100-continue.',
);

/** The client has closed the connection. */
export const NOT_WHOLE = new ApiError('invalid_request', 'The request ended before it was whole.');

const FAILURES: Readonly<Record<string, ApiError>> = {
  HPE_HEADER_OVERFLOW: new ApiError('headers_too_large', 'The request line or the headers are too large.'),
  HPE_INVALID_EOF_STATE: NOT_WHOLE,
  ERR_HTTP_REQUEST_TIMEOUT: new ApiError('request_timeout', 'The request did not arrive in time.'),
};
const NOT_HTTP = new ApiError('invalid_request', 'The request is not valid HTTP.');

/** Handles the server's `clientError`. */
export function sendClientError(error: ParseError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const failure = isUnknownMethod(error) ? UNKNOWN_METHOD : (FAILURES[error.code ?? ''] ?? NOT_HTTP);
  void refuse(socket, failure);
}

const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}) \/\S* HTTP\/1\.[01]\r\n/;

/** Node.js does not parse methods that it does not know. Such a request gets 405, like any other unknown method. */
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
  // An incomplete last request is the request that failed. It gets no second response if its response has begun.
  const own = latest?.complete === false ? latest : undefined;
  const response = owed.find(({ req }) => req === own);
  const begun = response?.headersSent === true;
  if (own !== undefined && response !== undefined && !begun) {
    refuseInApplication(own, response, failure);
    const cut = setTimeout(() => socket.destroy(), REFUSAL_MAX_MS).unref();
    response.once('close', () => clearTimeout(cut));
  }
  await Promise.all(owed.filter((each) => !begun || each !== response).map(closed));
  if (own === undefined) socket.end(rawResponse(failure));
  else socket.end();
}

/** Unlike `once` of node:events, does not reject on an `error` event. The handler of the response handles that. */
const closed = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    response.once('close', () => resolve());
  });

function rawResponse({ code, status, message, headers }: ApiError): string {
  const body = errorEnvelope(code, message);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Request-Id: ${requestId({ headers: {} })}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Type: ${JSON_UTF8}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
