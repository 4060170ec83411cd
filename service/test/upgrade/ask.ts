import { randomUUID } from 'node:crypto';
import type { TestAnswer } from '../harness/service.ts';

/** A request to a deployment, in process or over HTTP. */
export interface Question {
  /** Default: POST with a body, GET without. */
  readonly method?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export type Ask = (path: string, question?: Question) => Promise<TestAnswer>;

/** Where the dashboard's endpoints are. */
export const DASHBOARD = '/dashboard/api';

/** Asks a service that runs at this address. */
export function askAt(url: string): Ask {
  return async (path, { method, token, headers, body } = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(path.startsWith(DASHBOARD) ? { origin: url, 'idempotency-key': randomUUID() } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const cookies = answer.headers.getSetCookie();
    return {
      status: answer.status,
      headers: { ...Object.fromEntries(answer.headers), 'set-cookie': cookies },
      text,
      json: <T>() => JSON.parse(text) as T,
    };
  };
}

/** The cookies that an answer sets, as a browser sends them back. */
export const cookiesOf = ({ headers }: Pick<TestAnswer, 'headers'>): string =>
  [headers['set-cookie'] ?? []]
    .flat()
    .map((text) => String(text).split(';', 1)[0])
    .join('; ');
