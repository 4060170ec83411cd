import { HOUR_MS } from '@svc/service/config/time';
import { expect, test } from 'vitest';
import { CLIENTS, madeUpRequests, TRAFFIC_DAYS } from './traffic.ts';

const NOW = Date.parse('2026-03-10T12:34:56Z');

test('the made-up requests are of the last 90 days, oldest first, from every client, and the same for the same time', () => {
  const requests = madeUpRequests(NOW);
  expect(madeUpRequests(NOW)).toEqual(requests);
  const times = requests.map(({ atMs }) => atMs);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const end = Date.parse('2026-03-10T12:00:00Z');
  expect(times.at(-1)).toBeLessThan(end);
  expect(times[0]).toBeGreaterThanOrEqual(end - TRAFFIC_DAYS * 24 * HOUR_MS);
  expect(new Set(requests.map(({ client }) => client)).size).toBe(CLIENTS.length);
});

test('some requests of each week fail, in live and in test mode', () => {
  const requests = madeUpRequests(NOW);
  const weekOf = ({ atMs }: { readonly atMs: number }): number =>
    Math.floor((NOW - atMs) / (7 * 24 * HOUR_MS));
  const failed = requests.filter(({ status }) => status >= 400);
  expect(new Set(failed.map(weekOf)).size).toBe(new Set(requests.map(weekOf)).size);
  expect(new Set(failed.map(({ mode }) => mode))).toEqual(new Set(['live', 'test']));
});
