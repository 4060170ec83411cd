/** The part of `fetch` that this package uses, in types of its own: the package needs neither DOM nor Node types. */

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
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** A function like the global `fetch`. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;

// Called on each use, so that a fetch that is replaced later is used, and with the right `this`.
export const globalFetch: Fetch = (url, init) => globalThis.fetch(url, init);
