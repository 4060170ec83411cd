import { BASE_PATH } from '../base.ts';
import { failureOf, unreachable } from './failure.ts';

export interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Sent as JSON. Default with a method that changes something: an empty object. */
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly signal?: AbortSignal;
  /** The ETag of what is changed: if it is another by now, the change is refused (`precondition_failed`). */
  readonly ifMatch?: string;
  /** Of a request that creates something: a repeat with the same key creates nothing. */
  readonly idempotencyKey?: string;
}

/**
 * Calls an endpoint below /dashboard/api with the session's cookie; the answer is typed by the caller, from the
 * types that the endpoint itself answers with. Throws ApiFailure.
 */
export async function call<T>(path: string, options: CallOptions = {}): Promise<T> {
  const response = await send(path, options);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

/** The same, for an answer that is not JSON. */
export async function send(path: string, options: CallOptions = {}): Promise<Response> {
  const { method = 'GET', query = {}, body, signal, ifMatch, idempotencyKey } = options;
  const response = await fetch(endpoint(path, query), {
    method,
    credentials: 'same-origin',
    ...(method === 'GET'
      ? {}
      : {
          headers: {
            'content-type': 'application/json',
            ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
            ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
          },
          body: JSON.stringify(body ?? {}),
        }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw unreachable();
  });
  if (!response.ok) throw await failureOf(response);
  return response;
}

/** The address of an endpoint; undefined parameters are left out. */
export function endpoint(path: string, query: CallOptions['query'] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const search = new URLSearchParams(given).toString();
  return `${BASE_PATH}dashboard/api${path}${search === '' ? '' : `?${search}`}`;
}

/** Path of a workspace's endpoint. */
export const ofWorkspace = (workspaceId: string, path = ''): string =>
  `/workspaces/${encodeURIComponent(workspaceId)}${path}`;
