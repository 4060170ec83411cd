import { expect, test } from 'vitest';
import { changedWall, timeOfWall, wallTime } from './wall-time.ts';

test.each([
  ['2026-03-01T08:30:00Z', 'Europe/Berlin', '2026-03-01T09:30'],
  ['2026-07-01T08:30:00Z', 'Europe/Berlin', '2026-07-01T10:30'],
  ['2026-03-01T20:00:00Z', 'Asia/Kolkata', '2026-03-02T01:30'],
  ['2026-03-01T02:00:00Z', 'America/New_York', '2026-02-28T21:00'],
  ['2026-03-01T02:00:00Z', 'UTC', '2026-03-01T02:00'],
  ['2026-01-01T00:00:00Z', 'Pacific/Kiritimati', '2026-01-01T14:00'],
])('%s in %s is %s, and back', (time, zone, wall) => {
  expect(wallTime(time, zone)).toBe(wall);
  expect(timeOfWall(wall, zone)).toBe(new Date(time).toISOString());
});

test('a wall time that the clocks show twice is the first, and one that they skip is moved on', () => {
  expect(timeOfWall('2026-10-25T02:30', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z');
  expect(timeOfWall('2026-03-29T02:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z');
  expect(wallTime('2026-03-29T01:30:00Z', 'Europe/Berlin')).toBe('2026-03-29T03:30');
  expect(timeOfWall('2026-11-01T01:30', 'America/New_York')).toBe('2026-11-01T05:30:00.000Z');
});

test.each([
  ['another day', '2026-03-02T09:30', '2026-03-02T08:30:12.345678Z'],
  ['another day with other clocks', '2026-07-02T09:30', '2026-07-02T07:30:12.345678Z'],
  ['another minute', '2026-03-01T09:31', '2026-03-01T08:31:00.000Z'],
  ['another day and hour', '2026-03-02T10:30', '2026-03-02T09:30:00.000Z'],
  ['a day with an offset of seconds', '1890-03-01T09:30', '1890-03-01T08:36:44.345678Z'],
])('a change to %s keeps the seconds only if the hour and the minute stay', (_, wall, time) => {
  expect(changedWall(wall, 'Europe/Berlin', '2026-03-01T08:30:12.345678Z')).toBe(time);
});

test('a time that had no value before has no seconds', () => {
  expect(changedWall('2026-03-01T09:30', 'UTC', '')).toBe('2026-03-01T09:30:00.000Z');
});

test.each([
  ['2026-03-01T08:30:00Z', 'Europe/Berlin', '2027-03-01T08:30:00Z'],
  ['2026-03-01T08:30:12.345678Z', 'Europe/Berlin', '2027-03-01T08:30:12.345678Z'],
  ['2026-03-01T14:30:12.345678Z', 'America/New_York', '2027-03-01T14:30:12.345678Z'],
])('a year that is typed digit by digit keeps the seconds of %s in %s', (before, zone, after) => {
  const years = ['0002', '0020', '0202', '2027'];
  const typed = years.reduce(
    (time, year) => changedWall(year + wallTime(before, zone).slice(4), zone, time),
    before,
  );
  expect(typed).toBe(after);
});

test('a wall time that the clocks skip keeps its seconds', () => {
  expect(changedWall('2026-03-29T02:30', 'Europe/Berlin', '2026-03-28T01:30:12Z')).toBe(
    '2026-03-29T01:30:12Z',
  );
});
