import { expect, test } from 'vitest';
import { boundAt, boundsOf, timeRange } from './time-range.ts';

test('a time of the URL that is no time is left out', () => {
  const read = timeRange({ range: 'custom', from: '2026-13-45T99:99', to: '2026-03-01T09:30' });
  expect(read).toEqual({ range: 'custom', from: undefined, to: '2026-03-01T09:30' });
  expect(boundsOf({ ...read, range: 'custom' }, 0)).toEqual({
    from: undefined,
    to: new Date('2026-03-01T09:30').toISOString(),
  });
});

test('a time of the URL with Z is in UTC, so that a link means the same in every zone', () => {
  const read = timeRange({ range: 'custom', from: '2026-03-01T09:30Z' });
  expect(boundsOf({ ...read, range: 'custom' }, 0)).toEqual({
    from: '2026-03-01T09:30:00.000Z',
    to: undefined,
  });
  expect(boundAt('2026-03-01T09:30:59.123456Z')).toBe('2026-03-01T09:30Z');
});
