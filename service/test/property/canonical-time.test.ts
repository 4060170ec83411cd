import { canonicalTime } from '@svc/exact-times/canonical-time';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../harness/database.ts';

const { pool } = await createTestDatabase();

/** Any ISO 8601 time between the years 1 and 9999, with any offset and 0 to 6 fractional digits. */
const isoTime = fc
  .record({
    ms: fc.integer({ min: Date.parse('0001-01-03T00:00:00Z'), max: Date.parse('9999-12-29T00:00:00Z') }),
    fraction: fc.oneof(
      fc.constant(''),
      fc.stringMatching(/^[0-9]{1,6}$/),
      fc.constantFrom('5', '120', '000000'),
    ),
    offset: fc.oneof(
      fc.constant('Z'),
      fc.constant('z'),
      fc.stringMatching(/^[+-](0[0-9]|1[0-4]):?[0-5][0-9]$/),
    ),
  })
  .map(({ ms, fraction, offset }) => {
    const seconds = new Date(ms).toISOString().slice(0, 19);
    return `${seconds}${fraction === '' ? '' : `.${fraction}`}${offset}`;
  });

test('the canonical form is the time that PostgreSQL reads, and PostgreSQL returns the same text', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(isoTime, { minLength: 1, maxLength: 50 }), async (times) => {
      const shortest = times.map((time) => canonicalTime(time, 'shortest'));
      const full = times.map((time) => canonicalTime(time, 'microseconds'));
      const { rows } = await pool.query<{ same: boolean; text: string }>(
        `select given::timestamptz = shortest::timestamptz and given::timestamptz = micros::timestamptz as same,
          to_char(given::timestamptz at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as text
        from unnest($1::text[], $2::text[], $3::text[]) with ordinality as t (given, shortest, micros, n) order by n`,
        [times, shortest, full],
      );
      expect(rows.every((row) => row.same)).toBe(true);
      expect(rows.map((row) => row.text)).toEqual(full);
      expect(rows.map((row) => canonicalTime(row.text, 'shortest'))).toEqual(shortest);
      expect(shortest.map((time) => canonicalTime(time ?? '', 'shortest'))).toEqual(shortest);
    }),
    { numRuns: 50 },
  );
});

test('the shortest form has 0, 3 or 6 fractional digits, the fewest that are exact', () => {
  for (const [given, shown] of [
    ['2026-03-01T09:30:00Z', '2026-03-01T09:30:00Z'],
    ['2026-03-01T09:30:00.000000Z', '2026-03-01T09:30:00Z'],
    ['2026-03-01T09:30:00.1Z', '2026-03-01T09:30:00.100Z'],
    ['2026-03-01T09:30:00.123000Z', '2026-03-01T09:30:00.123Z'],
    ['2026-03-01T09:30:00.1234Z', '2026-03-01T09:30:00.123400Z'],
    ['2026-03-01T09:30:00.000001Z', '2026-03-01T09:30:00.000001Z'],
    ['2026-03-01T09:30:00.123456000Z', '2026-03-01T09:30:00.123456Z'],
    ['2026-03-01t09:30:00z', '2026-03-01T09:30:00Z'],
    ['2026-03-01T00:30:00+0200', '2026-02-28T22:30:00Z'],
    ['2024-02-29T23:59:59.999999-01', '2024-03-01T00:59:59.999999Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
  ] as const) {
    expect(canonicalTime(given, 'shortest')).toBe(shown);
  }
});

test('any text that is not an exact time between the years 1 and 9999 is refused', () => {
  for (const text of [
    '',
    'now',
    'infinity',
    '2026-03-01',
    '2026-03-01T09:30:00',
    '2026-03-01T09:30Z',
    '2026-03-01 09:30:00Z',
    '2026-03-01T09:30:00.Z',
    '2026-03-01T09:30:00.1234567Z',
    '2026-03-01T09:30:00Z ',
    '2026-03-01T09:30:00Z\n',
    '2026-00-01T09:30:00Z',
    '2026-13-01T09:30:00Z',
    '2026-02-29T09:30:00Z',
    '1900-02-29T09:30:00Z',
    '2026-04-31T09:30:00Z',
    '2026-03-00T09:30:00Z',
    '2026-03-01T24:00:00Z',
    '2026-03-01T09:60:00Z',
    '2026-03-01T23:59:60Z',
    '2026-03-01T09:30:00+24:00',
    '2026-03-01T09:30:00+01:60',
    '0000-12-31T23:59:59Z',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '+002026-03-01T09:30:00Z',
    '٢٠٢٦-03-01T09:30:00Z',
  ]) {
    expect(canonicalTime(text, 'shortest'), text).toBeUndefined();
  }
});
