import { expect, test } from 'vitest';
import { boundsOf, timeRange } from './time-range.ts';

test('a time of the URL that is no time is left out', () => {
  const read = timeRange({ range: 'custom', from: '2026-13-45T99:99', to: '2026-03-01T09:30' });
  expect(read).toEqual({ range: 'custom', from: undefined, to: '2026-03-01T09:30' });
  expect(boundsOf({ ...read, range: 'custom' }, 0)).toEqual({
    from: undefined,
    to: new Date('2026-03-01T09:30').toISOString(),
  });
});
