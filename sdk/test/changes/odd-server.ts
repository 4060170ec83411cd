import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onFileEnd } from '@svc/service/harness/cleanup.ts';
import { portOf } from '@svc/service/harness/socket.ts';

/** A request to a server that is not the service, or a damaged one. */
export type Respond = (response: ServerResponse, request: IncomingMessage, index: number) => unknown;

export interface OddServer {
  readonly url: string;
  /** What `Last-Event-ID` of each request was. */
  readonly asked: (string | undefined)[];
  /** How many connections are open. */
  open(): number;
}

/** Starts a server that responds to the stream as `respond` does. */
export async function oddServer(respond: Respond): Promise<OddServer> {
  const asked: (string | undefined)[] = [];
  let open = 0;
  const server = createServer((request, response) => {
    open += 1;
    response.once('close', () => {
      open -= 1;
    });
    asked.push(request.headers['last-event-id'] as string | undefined);
    void respond(response, request, asked.length - 1);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onFileEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${portOf(server)}`, asked, open: () => open };
}

/** Begins a stream of events with this text. */
export function begin(response: ServerResponse, text: string | Uint8Array): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).write(text);
  return response;
}

/** A change as the stream sends it. */
export const changeText = (id: string, more: object = {}): string =>
  `id: ${id}\nevent: company.created\ndata: ${JSON.stringify({ id, type: 'company.created', recordId: id, ...more })}\n\n`;
