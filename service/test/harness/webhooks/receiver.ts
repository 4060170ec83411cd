import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { portOf } from '../socket.ts';

/** A webhook that arrived at a receiver. */
export interface Received {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly atMs: number;
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
}

/**
 * Starts a receiver of webhooks. `respond` ends the response, maybe later; default: with 204. `onEnd` registers what closes
 * the receiver; default: at the end of the test, which concurrent tests cannot use.
 */
export async function startReceiver(
  respond: (response: ServerResponse, received: Received) => unknown = (response) =>
    response.writeHead(204).end(),
  onEnd: (close: () => Promise<void>) => void = onTestFinished,
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const sent = await buffer(request).catch(() => undefined);
    // The sender was killed while it sent.
    if (sent === undefined) return;
    const body = String(sent);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const one = { id: String(headers['webhook-id']), headers, body, atMs: performance.now() };
    received.push(one);
    await respond(response, one);
  });
  // The sender decides when a connection is no longer used, so that none ends at the moment of a request.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onEnd(() => {
    server.close();
    server.closeAllConnections();
    return Promise.resolve();
  });
  return { url: `http://127.0.0.1:${portOf(server)}/hook`, received };
}
