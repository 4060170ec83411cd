import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERRORS, errorEnvelope } from './errors.ts';
import { requestId } from './request-id.ts';

/**
 * Answers a request whose `Expect` is something else than `100-continue` in the envelope, where Node would answer
 * without one. For the server's `checkExpectation`: such a request never reaches the application.
 */
export function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const body = errorEnvelope('expectation_failed', 'The only expectation that can be met is 100-continue.');
  response
    .writeHead(ERRORS.expectation_failed.status, {
      'request-id': requestId(request),
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'x-content-type-options': 'nosniff',
      // Its body may still be on the way.
      connection: 'close',
    })
    .end(body);
}
