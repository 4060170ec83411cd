import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { onFileEnd } from '../harness/cleanup.ts';

/** An event that a stream has sent. */
export interface StreamEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  /** Empty: the event has only an id. */
  readonly data: string;
}

/** The client of a stream of server-sent events. */
export interface EventStream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** All events so far, also those with only an id. */
  readonly events: readonly StreamEvent[];
  /** All comments so far. */
  readonly comments: readonly string[];
  readonly response: IncomingMessage;
  /** Resolves when the service has ended the stream. */
  readonly ended: Promise<void>;
  /** Disconnects. */
  close(): void;
}

/** Opens a stream. Resolves when its headers have arrived. With `paused`, the client reads nothing. */
export async function openStream(
  url: string,
  token: string,
  headers: Readonly<Record<string, string>> = {},
  options: { readonly paused?: boolean } = {},
): Promise<EventStream> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent: ClientRequest = request(url, {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream', ...headers },
  });
  sent.on('response', resolve);
  sent.on('error', reject);
  sent.end();
  onFileEnd(async () => void sent.destroy());
  const response = await promise;
  const events: StreamEvent[] = [];
  const comments: string[] = [];
  const ended = new Promise<void>((done) => response.once('close', done));
  response.on('error', () => undefined);
  const stream = {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    comments,
    response,
    ended,
    close: () => void sent.destroy(),
  };
  if (options.paused === true) return stream;
  response.setEncoding('utf8');
  let rest = '';
  response.on('data', (text: string) => {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = block.split('\n');
      comments.push(...lines.filter((line) => line.startsWith(':')));
      const field = (name: string): string | undefined =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const [id, event, data = ''] = [field('id'), field('event'), field('data')];
      if (id !== undefined || data !== '') events.push({ id, event, data });
    }
  });
  return stream;
}
