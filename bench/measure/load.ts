import autocannon from 'autocannon';
import { percentilesOf } from './latencies.ts';

/** A request of a load. */
export type LoadRequest = Pick<autocannon.Request, 'method' | 'path' | 'headers' | 'body'>;

/** Keeps every connection busy with one request at a time. */
export interface Load {
  /** `http://127.0.0.1:8080` */
  readonly origin: string;
  readonly connections: number;
  /** Are sent in turn. */
  readonly requests: readonly LoadRequest[];
  readonly duration: Duration;
}

/** How long a load lasts. `amount`: until so many requests have a response, at least one for each connection. */
export type Duration = { readonly seconds: number } | { readonly amount: number };

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

const MS_PER_SECOND = 1_000;
/** How often autocannon looks whether the time is over. */
const TICK_MS = 50;
/** Autocannon gives up on a response after this time. */
const RESPONSE_TIMEOUT_SECONDS = 60;

/** Runs the load. Throws if a response is not a success. */
export async function runLoad({ origin, connections, requests, duration }: Load): Promise<LoadResult> {
  const times: number[] = [];
  const begun = performance.now();
  let lastMs = begun;
  let clients = 0;
  const done = Promise.withResolvers<autocannon.Result>();
  const options: autocannon.Options = {
    url: origin,
    connections,
    timeout: RESPONSE_TIMEOUT_SECONDS,
    sampleInt: TICK_MS,
    ...('seconds' in duration
      ? { duration: duration.seconds }
      : { amount: Math.max(duration.amount, connections) }),
    setupClient: (client) => client.setRequests(shareOf(requests, clients++, connections)),
  };
  const running = autocannon(options, (error, result) =>
    error === null ? done.resolve(result) : done.reject(error),
  );
  // The histogram of autocannon has whole milliseconds only.
  running.on('response', (_client, _status, _bytes, ms) => {
    times.push(ms);
    lastMs = performance.now();
  });
  const { non2xx, errors, statusCodeStats } = await done.promise;
  if (times.length === 0) throw new Error(`${origin} sent no response within the time of the measurement.`);
  if (non2xx + errors > 0) throw new Error(`${origin}: ${errors} errors, ${JSON.stringify(statusCodeStats)}`);
  return {
    requests: times.length,
    seconds: (lastMs - begun) / MS_PER_SECOND,
    ...percentilesOf(times),
  };
}

/**
 * The requests of a connection. Each connection has its share of them, so that connections do not ask for the same at the
 * same time. Copies, because autocannon writes to them.
 */
const shareOf = (
  requests: readonly LoadRequest[],
  connection: number,
  connections: number,
): autocannon.Request[] =>
  requests
    .filter((_, i) => i % connections === connection % requests.length)
    .map((request) => ({ ...request }));
