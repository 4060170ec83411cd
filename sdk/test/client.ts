import { type Fetch, Svc, type SvcOptions, type Timing } from '@svc/sdk';
import type { FastifyInstance } from 'fastify';

/** A base address for clients whose requests never leave the process. */
export const IN_PROCESS_URL = 'http://svc.test';

const asText = (value: string | number | readonly string[] | undefined): string | null =>
  value === undefined ? null : Array.isArray(value) ? value.join(', ') : String(value);

/** A `fetch` for an application in this process. Like every `fetch`, it joins headers whose names differ only in case. */
export const fetchOf =
  (app: FastifyInstance): Fetch =>
  async (url, { method, headers, body }) => {
    const {
      statusCode,
      headers: answered,
      body: text,
    } = await app.inject({
      method: method as 'GET',
      url: url.slice(IN_PROCESS_URL.length),
      headers: Object.fromEntries(new Headers(headers)),
      ...(body === undefined ? {} : { payload: body }),
    });
    return {
      status: statusCode,
      headers: { get: (name) => asText(answered[name.toLowerCase()]) },
      text: async () => text,
    };
  };

/** Pauses that end immediately. `pauses` has their lengths. */
export function instantPauses(): { readonly pauses: number[]; readonly timing: Pick<Timing, 'sleep'> } {
  const pauses: number[] = [];
  const timing: Pick<Timing, 'sleep'> = {
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      pauses.push(ms);
    },
  };
  return { pauses, timing };
}

/** A client of the application in this process. It never pauses. */
export const clientOf = (app: FastifyInstance, apiKey: string, options: SvcOptions = {}): Svc =>
  new Svc({
    apiKey,
    baseUrl: IN_PROCESS_URL,
    fetch: fetchOf(app),
    ...options,
    timing: { ...instantPauses().timing, ...options.timing },
  });

/** A signal that is never aborted, and how many listeners it has now. */
export function countedSignal(): { readonly signal: AbortSignal; readonly listeners: () => number } {
  const { signal } = new AbortController();
  let count = 0;
  const { addEventListener, removeEventListener } = signal;
  Object.assign(signal, {
    addEventListener: (...args: Parameters<typeof addEventListener>) => {
      count += 1;
      addEventListener.apply(signal, args);
    },
    removeEventListener: (...args: Parameters<typeof removeEventListener>) => {
      count -= 1;
      removeEventListener.apply(signal, args);
    },
  });
  return { signal, listeners: () => count };
}
