import { serviceUrl } from '../../base.ts';
import type { Operation } from './openapi.ts';

/** A request as it was typed. */
export interface Draft {
  readonly operation: Operation;
  /** By the name of the parameter; an empty one is left out. */
  readonly values: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly durationMs: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** JSON is indented. */
  readonly body: string;
  /** Of a list: goes on behind this page. */
  readonly nextCursor: string | null;
}

/** Headers that say something of the answer; the others are the connection's. */
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

export function addressOf({ operation: { path, parameters }, values }: Draft): string {
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, in: place } of parameters) {
    const value = values[name]?.trim() ?? '';
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== '') query.set(name, value);
  }
  const text = query.toString();
  return `${serviceUrl()}${filled}${text === '' ? '' : `?${text}`}`;
}

/** The same request for a shell; the key stays in the variable that the person keeps it in. */
export function curlOf(draft: Draft): string {
  const { method } = draft.operation;
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(addressOf(draft))}`,
    '  -H "Authorization: Bearer $SVC_API_KEY"',
    ...(draft.body === undefined
      ? []
      : ["  -H 'Content-Type: application/json'", `  --data ${quoted(draft.body)}`]),
  ];
  return lines.join(' \\\n');
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Sends it with the key and without the session's cookie. */
export async function sendDraft(draft: Draft, token: string): Promise<Answer> {
  const begun = performance.now();
  const response = await fetch(addressOf(draft), {
    method: draft.operation.method,
    credentials: 'omit',
    cache: 'no-store',
    headers: {
      authorization: `Bearer ${token}`,
      ...(draft.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(draft.body === undefined ? {} : { body: draft.body }),
  });
  const text = await response.text();
  const json = parsed(text);
  return {
    status: response.status,
    statusText: response.statusText,
    durationMs: Math.round(performance.now() - begun),
    headers: SHOWN_HEADERS.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    }),
    body: json === undefined ? text : JSON.stringify(json, null, 2),
    nextCursor: nextCursorOf(json),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function nextCursorOf(json: unknown): string | null {
  const { pagination } = (json ?? {}) as { readonly pagination?: { readonly nextCursor?: string | null } };
  return pagination?.nextCursor ?? null;
}
