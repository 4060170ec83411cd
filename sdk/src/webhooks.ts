import { checkedOptions } from './checked-options.ts';
import type { TEST_EVENT, Wire, WORKSPACE_EVENT_RESOURCE } from './contract/index.ts';
import { SvcError, SvcWebhookError } from './errors.ts';
import { checkedNumber } from './number.ts';
import type { Change } from './wire.ts';

/** Webhooks are signed per Standard Webhooks (https://www.standardwebhooks.com). This file uses only WebCrypto. */

/** A `Headers`, also without the library `dom.iterable` of TypeScript. */
interface HeadersPart {
  forEach(callback: (value: string, name: string) => void): void;
}

/** The headers of a request: those of `node:http`, a `Headers`, or any pairs of name and value. */
export type WebhookHeaders =
  | HeadersPart
  | Iterable<readonly [name: string, value: string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyWebhookOptions {
  /** How many seconds the time of the webhook and of this machine may differ. `Infinity` accepts any age. Default: 300. */
  readonly toleranceSeconds?: number;
  /** The time in milliseconds. Default: `Date.now`. */
  readonly now?: () => number;
}

/** A test event that a person sends to one endpoint. It is not in the feed. */
interface TestChange {
  readonly id: string;
  readonly type: (typeof TEST_EVENT)['type'];
  readonly resource: typeof WORKSPACE_EVENT_RESOURCE;
  /** The endpoint. */
  readonly recordId: string;
  readonly companyId: null;
  readonly createdAt: string;
  readonly record: Wire<typeof TEST_EVENT>;
}

type EventOf<C extends Change | TestChange> = C extends unknown
  ? {
      /** Such as `content.updated`. */
      readonly type: C['type'];
      /** When the change was committed: ISO 8601 in UTC. */
      readonly timestamp: string;
      /** The change. Its `id` is the `webhook-id`: a repeat of the webhook has the same. */
      readonly data: C;
    }
  : never;

/**
 * The body of a webhook. `event.type` narrows `event.data`, also its `record`. A newer service can send types that this
 * version does not know, so a program ignores them.
 */
export type WebhookEvent = EventOf<Change | TestChange>;

const TOLERANCE_SECONDS = 300;
const SECRET = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;
const SECRET_BYTES = 32;
const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;
const SIGNATURE = /^v1,([A-Za-z0-9+/]{43}=)$/;
/** The service sends at most two, while a secret is rotated. More are ignored. */
const SIGNATURES_MAX = 8;
const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const;

/**
 * Verifies a webhook of the service and resolves with its event. `body` is the body as it arrived, not parsed. `secret` is
 * the `whsec_…` of the endpoint, or several: one of them must fit. Signatures are compared in constant time.
 * Rejects with {@link SvcWebhookError} if the request is not a valid webhook, or has no body, and with {@link SvcError} if
 * an argument is wrong, such as a malformed secret.
 *
 * A webhook can arrive more than once, always with the same `webhook-id`, which is `event.data.id`.
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options?: VerifyWebhookOptions,
): Promise<WebhookEvent> {
  const { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now } = checkedOptions(options, [
    'toleranceSeconds',
    'now',
  ]);
  checkedNumber('toleranceSeconds', toleranceSeconds, { min: 0, whole: false });
  const keys = await keysOf(secret, 'verify');
  const bytes = bytesOf(body);
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ').slice(0, SIGNATURES_MAX);
  checkTime(timestamp, now(), toleranceSeconds);
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  for (const signature of signatures) {
    const [, base64] = SIGNATURE.exec(signature) ?? [];
    if (base64 === undefined) continue;
    for (const key of keys) {
      if (await crypto.subtle.verify(HMAC, key, decodeBase64(base64), signed)) return parseEvent(bytes);
    }
  }
  throw new SvcWebhookError('wrong_signature', 'No signature of the webhook fits the secret and the body.');
}

/**
 * Returns the headers of a webhook with this id and body that is sent at this time, in milliseconds. Rejects with
 * {@link SvcError} if the secret is malformed.
 */
export async function signWebhook(
  { id, body, nowMs }: { readonly id: string; readonly body: string; readonly nowMs: number },
  secret: string,
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signatures = (await keysOf(secret, 'sign')).map(
    async (key) => `v1,${encodeBase64(new Uint8Array(await crypto.subtle.sign(HMAC, key, signed)))}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': (await Promise.all(signatures)).join(' '),
  };
}

/** Creates a secret: `whsec_` and 32 random bytes in base64. */
export const createWebhookSecret = (): string =>
  `whsec_${encodeBase64(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))}`;

function keysOf(secret: string | readonly string[], usage: 'sign' | 'verify') {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  if (secrets.length === 0) throw new SvcError('A webhook is verified with at least one secret.');
  return Promise.all(
    secrets.map((one) => {
      const [, base64 = ''] = (typeof one === 'string' ? SECRET.exec(one) : null) ?? [];
      const key = decodeBase64(base64);
      // The message does not contain the secret.
      if (key.length < SECRET_BYTES_MIN || key.length > SECRET_BYTES_MAX)
        throw new SvcError('The secret of a webhook must be whsec_ and 24 to 64 bytes in base64.');
      return crypto.subtle.importKey('raw', key, HMAC, false, [usage]);
    }),
  );
}

function bytesOf(body: unknown): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  // A body parser of Express gives these to a request whose type it does not read, which anybody can send.
  if (body === undefined || isEmptyObject(body))
    throw new SvcWebhookError(
      'invalid_body',
      'The webhook has no body. If it was sent with one, let the body parser read every type.',
    );
  throw new SvcError(
    'The body of a webhook must be the text or the bytes that arrived, not a parsed object, a promise or a stream.',
  );
}

/** Whether the value is `{}`. A promise, a stream and a request have no keys either. */
const isEmptyObject = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value)) &&
  Object.keys(value).length === 0;

function headerOf(headers: WebhookHeaders, name: string): string {
  const values = pairsOf(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? []);
  const [value] = values;
  if (value === undefined || value === '')
    throw new SvcWebhookError('missing_header', `The webhook has no header ${name}.`);
  if (typeof value !== 'string' || values.length > 1)
    throw new SvcWebhookError('invalid_header', `The webhook has the header ${name} more than once.`);
  return value;
}

function pairsOf(headers: WebhookHeaders): readonly (readonly [string, unknown])[] {
  if (typeof headers !== 'object' || headers === null)
    throw new SvcError('The headers of a webhook must be an object with the headers of the request.');
  if (Symbol.iterator in headers) return [...headers];
  if (typeof headers.forEach !== 'function') return Object.entries(headers);
  const pairs: (readonly [string, string])[] = [];
  (headers as HeadersPart).forEach((value, name) => {
    pairs.push([name, value]);
  });
  return pairs;
}

function checkTime(timestamp: string, nowMs: number, toleranceSeconds: number): void {
  if (!/^\d{1,12}$/.test(timestamp))
    throw new SvcWebhookError('invalid_header', 'The header webhook-timestamp is not a time in seconds.');
  // NaN is neither too old nor too new.
  if (!Number.isFinite(nowMs))
    throw new SvcError(`"now" must return the time in milliseconds, not ${String(nowMs)}.`);
  const age = Math.floor(nowMs / 1000) - Number(timestamp);
  if (age > toleranceSeconds)
    throw new SvcWebhookError(
      'too_old',
      `The webhook is ${age} seconds old. It may be a repeat by somebody else.`,
    );
  if (age < -toleranceSeconds)
    throw new SvcWebhookError('too_new', `The webhook is ${-age} seconds in the future. Check the clock.`);
}

function parseEvent(bytes: Uint8Array): WebhookEvent {
  try {
    const event: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    const { type, timestamp, data }: Readonly<Record<string, unknown>> = Object(event);
    if (
      typeof type === 'string' &&
      typeof timestamp === 'string' &&
      typeof data === 'object' &&
      data !== null
    )
      return event as WebhookEvent;
  } catch {
    // The error below says the same.
  }
  throw new SvcWebhookError('invalid_body', 'The body of the webhook is not an event.');
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

const decodeBase64 = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

const encodeBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
