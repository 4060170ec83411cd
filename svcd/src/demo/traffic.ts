import { latencyBucket } from '@svc/latency-buckets';
import { DAY_MS, HOUR_MS } from '@svc/service/config/time';
import { createRandom, type Random } from './random.ts';

/** Made-up requests of the last 90 days, so that no plot, log or list of keys of the demo is empty at first. */

const SEED = 20_260_302;
export const TRAFFIC_DAYS = 90;
/** Traffic grows from this share of today's over the 90 days. */
const SHARE_AT_START = 0.45;
const LIVE_PER_HOUR = 2.6;
const TEST_PER_HOUR = 1.1;
/** An hour in which the made-up client has a fault: most of its requests fail. Age in hours. */
const BAD_HOURS = [9, 10, 131, 132, 133, 700, 1_390];

/** The clients of the made-up requests, by the names of their keys. Nobody has seen the tokens of these keys. */
export const CLIENTS = [
  { name: 'Storefront (made up)', mode: 'live', access: 'read', weight: 5 },
  { name: 'Nightly sync (made up)', mode: 'live', access: 'write', weight: 3 },
  { name: 'Reports (made up)', mode: 'live', access: 'read', weight: 2 },
  { name: 'Staging (made up)', mode: 'test', access: 'write', weight: 1 },
] as const;
export type ClientName = (typeof CLIENTS)[number]['name'];

/** What the user agent of every made-up request says, so that nobody takes its entry for real. */
export const MADE_UP = 'svcd demo (made-up request)';
/** Networks for documentation (RFC 5737), so the addresses are nobody's. */
const ADDRESSES: Readonly<Record<ClientName, readonly string[]>> = {
  'Storefront (made up)': ['198.51.100.14', '198.51.100.15', '198.51.100.16'],
  'Nightly sync (made up)': ['203.0.113.7'],
  'Reports (made up)': ['192.0.2.80', '192.0.2.81'],
  'Staging (made up)': ['192.0.2.200'],
};

const READS = [
  ['GET', '/v1/audits', 200],
  ['GET', '/v1/audits', 200],
  ['GET', '/v1/mentions', 200],
  ['GET', '/v1/mentions', 200],
  ['GET', '/v1/companies', 200],
  ['GET', '/v1/content', 200],
  ['GET', '/v1/audits', 304],
  ['GET', '/v1/audits/count', 200],
] as const;
const FAULTS = [
  ['GET', '/v1/audits', 400],
  ['GET', '/v1/companies/com_gone', 404],
  ['GET', '/v1/reports', 404],
  ['POST', '/v1/audits', 403],
  ['GET', '/v1/mentions', 400],
  ['GET', '/v1/mentions', 503],
] as const;

export interface MadeUpRequest {
  readonly client: ClientName;
  readonly mode: 'live' | 'test';
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly bucket: number;
  readonly ip: string;
}

/** The requests in the 90 days before `endMs`, oldest first. The result is the same for the same time. */
export function madeUpRequests(endMs: number): readonly MadeUpRequest[] {
  const random = createRandom(SEED);
  const hours = TRAFFIC_DAYS * 24;
  const lastHourMs = Math.floor(endMs / HOUR_MS) * HOUR_MS;
  return Array.from({ length: hours }, (_, i) => hours - i)
    .flatMap((age) => requestsOfHour(random, lastHourMs - age * HOUR_MS, age, 1 - age / hours))
    .sort((a, b) => a.atMs - b.atMs);
}

function requestsOfHour(random: Random, fromMs: number, age: number, progress: number): MadeUpRequest[] {
  const growth = SHARE_AT_START + (1 - SHARE_AT_START) * progress;
  const level = growth * busyness(fromMs);
  const bad = BAD_HOURS.includes(age);
  const countOf = (mean: number): number => Math.max(0, Math.round(random.around(mean * level, 1)));
  const request = (mode: 'live' | 'test'): MadeUpRequest => {
    const client = random.pick(
      CLIENTS.filter((one) => one.mode === mode).flatMap((one) =>
        Array.from({ length: one.weight }, () => one),
      ),
    );
    const failed = random.next() < (bad ? 0.7 : 0.04);
    const [method, path, status] = failed ? random.pick(FAULTS) : random.pick(READS);
    // Most are fast, a few wait.
    const durationMs = Math.round(
      (random.next() < 0.06 ? 9 : 1) * (2 + 14 * random.next() ** 3) * (bad ? 4 : 1),
    );
    const atMs = fromMs + random.integer(0, HOUR_MS - 1);
    const ip = random.pick(ADDRESSES[client.name]);
    return {
      client: client.name,
      mode,
      atMs,
      method,
      path,
      status,
      durationMs,
      bucket: latencyBucket(durationMs),
      ip,
    };
  };
  return [
    ...Array.from({ length: countOf(LIVE_PER_HOUR) * (bad ? 3 : 1) }, () => request('live')),
    ...Array.from({ length: countOf(TEST_PER_HOUR) }, () => request('test')),
  ];
}

/** How busy an hour is: less at night (UTC) and on weekends. About 1 on average. */
function busyness(atMs: number): number {
  const hour = Math.floor((atMs % DAY_MS) / HOUR_MS);
  const weekday = (Math.floor(atMs / DAY_MS) + 4) % 7;
  const ofDay = 1 + 0.8 * Math.sin(((hour - 8) / 24) * 2 * Math.PI);
  return ofDay * (weekday === 0 || weekday === 6 ? 0.45 : 1.2);
}
