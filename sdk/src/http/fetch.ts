/** Types for the part of `fetch` that this package uses, so that the package needs neither DOM nor Node types. */

import type { ResponseHeaders } from '../errors.ts';
import type { Signal } from '../signal.ts';

export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: Signal;
  readonly redirect: 'manual';
}

export interface FetchAnswer {
  readonly status: number;
  readonly headers: ResponseHeaders;
  text(): Promise<string>;
  /** A `ReadableStream` of bytes. Only streams of changes read it. */
  readonly body?: unknown;
}

/** What a client adds to each call of `fetch`: options of the runtime, such as `dispatcher` of Node.js. */
export type FetchOptions = Readonly<Record<string, unknown>> & { readonly [Name in keyof FetchInit]?: never };

/** The options of `fetch` that the client sets itself. */
export const OWN_FETCH_OPTIONS: readonly (keyof FetchInit)[] = [
  'method',
  'headers',
  'body',
  'signal',
  'redirect',
];

/** A function that is compatible with the global `fetch`. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;

// Looks up the global on each call, so a later replacement is used, and `this` is correct.
export const globalFetch: Fetch = (url, init) => globalThis.fetch(url, init);
