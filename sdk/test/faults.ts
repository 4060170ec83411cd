import { type Fetch, type RetryEvent, type Svc, SvcApiError, type SvcOptions } from '@svc/sdk';
import type { TestService } from '@svc/service/harness/service.ts';
import { clientOf, instantPauses } from './client.ts';

/** A client that records its pauses and retries. Its random numbers are always 0.5, and its clock is the service's. */
export interface Observed {
  readonly svc: Svc;
  /** Milliseconds. */
  readonly pauses: readonly number[];
  readonly retries: readonly RetryEvent[];
}

const MIDDLE = 0.5;

export function observe({ app, clock }: TestService, apiKey: string, options: SvcOptions = {}): Observed {
  const { pauses, timing } = instantPauses();
  const retries: RetryEvent[] = [];
  const svc = clientOf(app, apiKey, {
    onRetry: (event) => retries.push(event),
    ...options,
    timing: { ...timing, random: () => MIDDLE, now: () => clock.now, ...options.timing },
  });
  return { svc, pauses, retries };
}

/** Fails this many times as a network does, before or after the request has reached the service. */
export function failing(fetch: Fetch, times: number, when: 'before' | 'after' = 'before'): Fetch {
  let tries = 0;
  return async (url, init) => {
    tries += 1;
    const fails = tries <= times;
    if (fails && when === 'before')
      throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
    const answer = await fetch(url, init);
    if (fails) throw new TypeError('fetch failed', { cause: new Error('read ECONNRESET') });
    return answer;
  };
}

/** The first request is carried out, and gets this status of a proxy instead of its response. */
export function replacing(fetch: Fetch, status: number): Fetch {
  let replaced = false;
  return async (url, init) => {
    const answer = await fetch(url, init);
    if (replaced) return answer;
    replaced = true;
    return { status, headers: { get: () => null }, text: async () => '' };
  };
}

/** The error with which the service refused a call. Throws if the service did not refuse it. */
export async function refusalOf(call: PromiseLike<unknown>): Promise<SvcApiError> {
  const error = await Promise.resolve(call).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof SvcApiError) return error;
  throw new Error('the service did not refuse it', { cause: error });
}
