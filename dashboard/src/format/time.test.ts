import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';

const TIME = '2026-03-01T23:05:07.123456Z';
const NOW = Date.parse('2026-03-10T12:00:00Z');

let time: typeof import('./time.ts');
let zones: typeof import('./time-zone.ts');
beforeAll(async () => {
  // The module reads the viewer's zone when it is loaded.
  vi.stubEnv('TZ', 'Europe/Berlin');
  time = await import('./time.ts');
  zones = await import('./time-zone.ts');
});

test('a time is in the zone of the viewer', () => {
  expect(zones.timeZone()).toBe('Europe/Berlin');
  expect(time.formatTime(TIME)).toBe('Mar 2, 2026, 00:05:07 GMT+1');
  expect(time.formatHour(TIME)).toBe('Mar 2, 00:05 GMT+1');
  expect(time.formatDate(TIME)).toBe('Mar 2, 2026');
});

test('a stamp has the year if it is not this one, in the zone of the viewer', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  onTestFinished(() => void vi.useRealTimers());
  expect(time.formatStamp(TIME)).toBe('Mar 2, 00:05:07');
  expect(time.formatStamp('2025-12-31T23:30:00Z')).toBe('Jan 1, 00:30:00');
  expect(time.formatStamp('2025-12-31T22:30:00Z')).toBe('Dec 31, 2025, 23:30:00');
});

test('a time in summer has the offset of the summer', () => {
  expect(time.formatTime('2026-07-01T10:00:00Z')).toBe('Jul 1, 2026, 12:00:00 GMT+2');
});

test('a time or day in UTC is not converted to the zone of the viewer', () => {
  expect(time.formatUtc(TIME)).toBe('Mar 1, 2026, 23:05:07 UTC');
  expect(time.formatUtcDay(TIME)).toBe('Mar 1 (UTC)');
});

test('a time follows the chosen zone, and the browser again without a choice', () => {
  zones.setTimeZone('Asia/Kolkata');
  expect(time.formatTime(TIME)).toBe('Mar 2, 2026, 04:35:07 GMT+5:30');
  expect(time.formatUtcDay(TIME)).toBe('Mar 1 (UTC)');
  zones.setTimeZone(null);
  expect(time.formatTime(TIME)).toBe('Mar 2, 2026, 00:05:07 GMT+1');
});

describe('a relative time', () => {
  test.each([
    ['2026-03-10T11:59:30Z', 'just now'],
    ['2026-03-10T12:00:29.999Z', 'just now'],
    ['2026-03-10T12:00:30Z', 'in a moment'],
    ['2026-03-10T11:59:00Z', '1 minute ago'],
    ['2026-03-10T12:05:00Z', 'in 5 minutes'],
    ['2026-03-10T10:00:00Z', '2 hours ago'],
    ['2026-03-09T12:00:01Z', '23 hours ago'],
    ['2026-03-09T12:00:00Z', '1 day ago'],
    ['2026-03-08T12:00:01Z', '1 day ago'],
    ['2026-03-03T12:00:00Z', '7 days ago'],
    ['2026-02-08T12:00:00Z', '30 days ago'],
  ])('%s is "%s"', (at, text) => {
    expect(time.formatRelative(at, NOW)).toBe(text);
  });

  test.each([
    ['2026-03-10T12:00:01Z', 'in a moment'],
    ['2026-03-10T12:00:00Z', 'just now'],
    ['2026-03-10T12:05:00Z', 'in 5 minutes'],
  ])('%s, as a time that is still to come, is "%s"', (at, text) => {
    expect(time.formatUpcoming(at, NOW)).toBe(text);
  });

  test.each([
    ['2026-02-08T11:59:59Z', 'Feb 8, 2026'],
    ['2026-12-01T00:00:00Z', 'Dec 1, 2026'],
  ])('%s, more than 30 days away, is a date: %s', (at, text) => {
    expect(time.formatRelative(at, NOW)).toBe(text);
  });
});
