import { isWait, NEEDS_KEY, UNBOUNDED } from '@svc/service/dashboard/limits';
import type { ExplorerAnswer } from '@svc/service/dashboard/wire';
import { call, ofWorkspace } from '../../api/client.ts';
import { serviceUrl } from '../../base.ts';
import type { Operation } from './openapi.ts';
import type { Sender } from './sender-fields.tsx';

/** A request that has not been sent yet. */
export interface Draft {
  readonly operation: Operation;
  /** Values by the name of the parameter. Empty values are not sent. */
  readonly values: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** A response as the explorer shows it. */
export interface ExplorerResponse {
  readonly status: number;
  readonly durationMs: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body; JSON is indented. */
  readonly body: string;
  /** The request for the next page of a list; null for other responses and at the end. */
  readonly next: Draft | null;
}

/** The headers to show; the others are about the connection. */
const SHOWN_HEADERS = [
  'request-id',
  'dry-run',
  'etag',
  'location',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'allow',
];

/** The path of the request with its query, from `/v1` on. */
function targetOf({ operation: { path, parameters }, values }: Draft): string {
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, in: place } of parameters) {
    const value = values[name]?.trim() ?? '';
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== '') query.set(name, value);
  }
  const text = query.toString();
  return `${filled}${text === '' ? '' : `?${text}`}`;
}

const urlOf = (draft: Draft): string => serviceUrl() + targetOf(draft);

/** The request as a curl command, which reads the key from an environment variable. */
export function curlOf(draft: Draft): string {
  const { method } = draft.operation;
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(urlOf(draft))}`,
    '  -H "Authorization: Bearer $SVC_API_KEY"',
    ...(draft.body === undefined
      ? []
      : ["  -H 'Content-Type: application/json'", `  --data ${quoted(draft.body)}`]),
  ];
  return lines.join(' \\\n');
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Why the request cannot be sent; undefined if it can. `noWrites`: why the member cannot write. */
export function blockedBy(
  { operation: { method, path }, values }: Draft,
  sender: Sender,
  noWrites: string | undefined,
): string | undefined {
  if (UNBOUNDED.test(path)) return 'Its response is too long for this page. Use the curl command.';
  if (sender === 'key') return undefined;
  if (path === NEEDS_KEY) return 'This needs an API key. Use the curl command.';
  if (isWait(values['wait'] ?? '')) return 'A request that waits needs an API key. Send it as a test key.';
  return method === 'GET' ? undefined : noWrites;
}

/** Sends the request with the key, without the session's cookie. */
export async function sendWithKey(
  draft: Draft,
  token: string,
  signal: AbortSignal,
): Promise<ExplorerResponse> {
  const begun = performance.now();
  const response = await fetch(urlOf(draft), {
    method: draft.operation.method,
    credentials: 'omit',
    cache: 'no-store',
    signal,
    headers: {
      authorization: `Bearer ${token}`,
      ...(draft.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(draft.body === undefined ? {} : { body: draft.body }),
  });
  const body = await response.text();
  return shown(draft, { status: response.status, headers: [...response.headers], body }, begun);
}

/** Lets the service send the request as the signed-in member, without a key. Writes are dry runs. */
export async function sendAsMember(
  draft: Draft,
  workspaceId: string,
  signal: AbortSignal,
): Promise<ExplorerResponse> {
  const begun = performance.now();
  const { method } = draft.operation;
  const body = { method, path: targetOf(draft), ...(draft.body === undefined ? {} : { body: draft.body }) };
  const path = ofWorkspace(workspaceId, '/explorer');
  return shown(draft, await call<ExplorerAnswer>(path, { method: 'POST', body, signal }), begun);
}

function shown(draft: Draft, { status, headers, body }: ExplorerAnswer, begun: number): ExplorerResponse {
  const json = parsed(body);
  const values = new Headers(headers.map(([name, value]) => [name, value]));
  return {
    status,
    durationMs: Math.round(performance.now() - begun),
    headers: SHOWN_HEADERS.flatMap((name) => {
      const value = values.get(name);
      return value === null ? [] : [[name, value] as const];
    }),
    body: json === undefined ? body : JSON.stringify(json, null, 2),
    next: nextOf(draft, json),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Paged {
  readonly pagination?: { readonly nextCursor?: string | null; readonly position?: string };
}

/** A page after a position continues after the position of the page, because `after` excludes a cursor. */
function nextOf(draft: Draft, json: unknown): Draft | null {
  const { pagination: { nextCursor: cursor, position: after } = {} } = (json ?? {}) as Paged;
  if (typeof cursor !== 'string') return null;
  const place = draft.values['after']?.trim() && after !== undefined ? { after } : { cursor };
  return { ...draft, values: { ...draft.values, ...place } };
}
