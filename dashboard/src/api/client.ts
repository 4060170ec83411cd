import { BASE_PATH } from '../base.ts';
import { personHeader } from '../session/page-person.ts';
import { ownTask } from '../tasks.ts';
import { failureOf, tooSlow, unreachable } from './failure.ts';

export interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Sent as JSON. Default: an empty object, except for GET, which has no body. */
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly signal?: AbortSignal;
  /** ETag of the record to change. If it has changed since, the service responds with `precondition_failed`. */
  readonly ifMatch?: string;
  /** Idempotency-Key of a request that creates something. A repeat with the same key creates nothing. */
  readonly idempotencyKey?: string;
}

/**
 * Calls an endpoint below /dashboard/api with the session's cookie and parses the JSON response. The caller names the
 * type of the response, which the service exports. Throws ApiFailure, also if a read takes longer than READ_TIMEOUT_MS.
 */
export async function call<T>(path: string, options: CallOptions = {}): Promise<T> {
  const run = async (given: CallOptions): Promise<T> => {
    const response = await send(path, given);
    return response.status === 204 ? (undefined as T) : readJson<T>(response);
  };
  return options.method === undefined || options.method === 'GET'
    ? withTimeout(options.signal, (signal) => run({ ...options, signal }))
    : run(options);
}

/** A change has no limit: it may still be executed, and imports take long. */
const READ_TIMEOUT_MS = 30_000;

/** Runs a read. Throws ApiFailure if it takes longer than READ_TIMEOUT_MS. */
export async function withTimeout<T>(
  signal: AbortSignal | undefined,
  read: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = AbortSignal.timeout(READ_TIMEOUT_MS);
  try {
    return await read(signal === undefined ? limit : AbortSignal.any([signal, limit]));
  } catch (error) {
    throw limit.aborted && signal?.aborted !== true ? tooSlow() : error;
  }
}

/** Like `call`, but returns the response itself, and a read has no limit of time. */
export async function send(path: string, options: CallOptions = {}): Promise<Response> {
  const { method = 'GET', query = {}, body, signal, ifMatch, idempotencyKey } = options;
  // A page starts several requests at once, and the start of a request takes milliseconds on a slow processor.
  await ownTask();
  const response = await fetch(endpoint(path, query), {
    method,
    credentials: 'same-origin',
    headers: {
      ...personHeader(),
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch(throwUnreachable);
  if (!response.ok) throw await failureOf(response);
  return response;
}

/** The parsed body of a response. Throws ApiFailure if the connection ends before the body does. */
export const readJson = async <T>(response: Response): Promise<T> =>
  (await response.json().catch(throwUnreachable)) as T;

/** For a failed request or body: throws ApiFailure, or the error itself if the caller has stopped the request. */
export function throwUnreachable(error: unknown): never {
  throw error instanceof DOMException && error.name === 'AbortError' ? error : unreachable();
}

/** URL path of an endpoint. Leaves out undefined parameters. */
export function endpoint(path: string, query: CallOptions['query'] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const search = new URLSearchParams(given).toString();
  return `${BASE_PATH}dashboard/api${path}${search === '' ? '' : `?${search}`}`;
}

/** Path of an endpoint of a workspace. */
export const ofWorkspace = (workspaceId: string, path = ''): string =>
  `/workspaces/${encodeURIComponent(workspaceId)}${path}`;
