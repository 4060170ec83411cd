import { once } from 'node:events';
import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import { text } from 'node:stream/consumers';

interface AskOptions extends Pick<RequestOptions, 'method' | 'headers' | 'signal'> {
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  /** Whether the status is 2xx. */
  readonly ok: boolean;
  /** The `Set-Cookie` headers. */
  readonly cookies: readonly string[];
  readonly text: string;
}

/** Sends a request to the running service. `fetch` would refuse ports that browsers block, such as 6000. */
export async function ask(url: string, { body, ...options }: AskOptions = {}): Promise<Answer> {
  const request = http.request(url, { ...options, agent: false });
  // Below, the wait for the response or for its text throws the error.
  request.on('error', () => undefined);
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const status = response.statusCode ?? 0;
  return {
    status,
    ok: status >= 200 && status < 300,
    cookies: response.headers['set-cookie'] ?? [],
    text: await text(response),
  };
}
