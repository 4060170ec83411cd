import { CURSOR_LIFETIME_SECONDS } from '@svc/sdk/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCursorCodec, type Position } from '../src/cursors.ts';

const SECRET = 'a secret of the tests, 32 characters or more';
const NEWER = 'another secret of the tests, 32 characters or more';
const NOW = Date.UTC(2026, 2, 1, 9, 30);
const BINDING = '["audits","created-descending",null,[]]';
const POSITION: Position = { side: 'after', key: '2026-03-01 09:30:00.123456+00', id: 'aud_1' };
const LIFETIME_MS = CURSOR_LIFETIME_SECONDS * 1000;

const codec = createCursorCodec([SECRET]);
const cursor = codec.encode(POSITION, BINDING, 'wks_1', NOW);

const text = fc.string({ unit: 'binary' });
const position: fc.Arbitrary<Position> = fc.record({
  side: fc.constantFrom('before', 'after'),
  key: text,
  id: text,
});
const nowMs = fc.integer({ min: 0, max: 4_102_444_800_000 });

/** Issued by an earlier version, for the same position, binding, workspace and time. Its nonce is an HMAC. */
const EARLIER =
  'Ab0e-7lLENYIc97eW9I9O7omayOZB45EIWatyutYbkh8C3pvbjsOlqMHYK-D-cEsMUsqEBTR0oTavH7-X4-l7Br8bx37cscmSz4E3ccbWTqpgLYdFFsrZQasDNWVXDF5mEUvyjpBh_7m9QkNA1bLZhJKq_rsy67N_L5mmJjRCMKE';

describe('a cursor', () => {
  test('of an earlier version is still accepted', () => {
    expect(codec.decode(EARLIER, BINDING, 'wks_1', NOW)).toEqual(POSITION);
    expect(codec.decode(EARLIER, 'other', 'wks_1', NOW)).toBe('mismatch');
  });

  test('decodes to what was encoded, for any position, binding, workspace and time', () => {
    fc.assert(
      fc.property(position, text, text, nowMs, (put, binding, workspaceId, now) => {
        expect(codec.decode(codec.encode(put, binding, workspaceId, now), binding, workspaceId, now)).toEqual(
          put,
        );
      }),
    );
  });

  test('decodes to its own content, however many are issued in the same second', () => {
    const many = Array.from(
      { length: 10_000 },
      (_, n): Position => ({ ...POSITION, id: `aud_${n % 6_000}` }),
    );
    // It remembers some of them. A codec of its own, so that the other tests have room in theirs.
    const busy = createCursorCodec([SECRET]);
    const texts = many.map((put) => busy.encode(put, BINDING, 'wks_1', NOW));
    expect(texts.map((each) => busy.decode(each, BINDING, 'wks_1', NOW))).toEqual(many);
    expect(new Set(texts).size).toBe(6_000);
  });

  test('is base64url text that needs no encoding in a URL', () => {
    fc.assert(
      fc.property(position, text, nowMs, (put, binding, now) => {
        const encoded = codec.encode(put, binding, 'wks_1', now);
        expect(encodeURIComponent(encoded)).toBe(encoded);
        expect(encoded).toMatch(/^[\w-]+$/);
      }),
    );
  });

  test('of the same position is the same text within a second, and another one after it', () => {
    fc.assert(
      fc.property(position, text, nowMs, fc.nat(999), (put, binding, now, later) => {
        const second = Math.floor(now / 1000) * 1000;
        const encoded = codec.encode(put, binding, 'wks_1', second);
        expect(codec.encode(put, binding, 'wks_1', second + later)).toBe(encoded);
        // The codec remembers its own cursors of a second.
        expect(createCursorCodec([SECRET]).encode(put, binding, 'wks_1', second)).toBe(encoded);
        expect(codec.encode(put, binding, 'wks_1', second + 1000)).not.toBe(encoded);
      }),
    );
  });

  test('of different content is a different text: side, key, id, binding and workspace all count', () => {
    const others = [
      codec.encode({ ...POSITION, side: 'before' }, BINDING, 'wks_1', NOW),
      codec.encode({ ...POSITION, key: '2026-03-01 09:30:00.123457+00' }, BINDING, 'wks_1', NOW),
      codec.encode({ ...POSITION, id: 'aud_2' }, BINDING, 'wks_1', NOW),
      codec.encode(POSITION, `${BINDING} `, 'wks_1', NOW),
      codec.encode(POSITION, BINDING, 'wks_2', NOW),
    ];
    expect(new Set([cursor, ...others]).size).toBe(6);
    // No two cursors have the same nonce: a nonce must never encrypt two contents.
    const nonces = [cursor, ...others].map((each) =>
      Buffer.from(each, 'base64url').subarray(1, 13).toString('hex'),
    );
    expect(new Set(nonces).size).toBe(6);
  });

  test('is invalid for any text that the codec did not encode', () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.base64String(), fc.string({ unit: 'grapheme' })), (garbage) => {
        expect(codec.decode(garbage, BINDING, 'wks_1', NOW)).toBe('invalid');
      }),
    );
  });

  test('is invalid if any of its bits is changed', () => {
    const bytes = Buffer.from(cursor, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const altered = Buffer.from(bytes);
      altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(codec.decode(altered.toString('base64url'), BINDING, 'wks_1', NOW)).toBe('invalid');
    }
  });

  test('is invalid if it is shorter, longer or spelled in another way', () => {
    for (let length = 0; length < cursor.length; length++) {
      expect(codec.decode(cursor.slice(0, length), BINDING, 'wks_1', NOW)).toBe('invalid');
      expect(codec.decode(cursor.slice(length + 1), BINDING, 'wks_1', NOW)).toBe('invalid');
    }
    const padded = Buffer.from(cursor, 'base64url').toString('base64');
    for (const other of [
      `${cursor}A`,
      `${cursor}=`,
      `${cursor}\n`,
      ` ${cursor}`,
      `${cursor}${cursor}`,
      `${padded}=`,
    ]) {
      expect(codec.decode(other, BINDING, 'wks_1', NOW)).toBe('invalid');
    }
    const { length } = cursor;
    const halves = `${cursor.slice(0, length / 2)}\n${cursor.slice(length / 2)}`;
    expect(codec.decode(halves, BINDING, 'wks_1', NOW)).toBe('invalid');
  });

  test('is invalid in another workspace, which is checked before everything else', () => {
    expect(codec.decode(cursor, BINDING, 'wks_2', NOW)).toBe('invalid');
    expect(codec.decode(cursor, 'other', 'wks_2', NOW + 2 * LIFETIME_MS)).toBe('invalid');
  });

  test('expires after 24 hours, to the second, which is checked before its binding', () => {
    expect(codec.decode(cursor, BINDING, 'wks_1', NOW + LIFETIME_MS)).toEqual(POSITION);
    expect(codec.decode(cursor, BINDING, 'wks_1', NOW + LIFETIME_MS + 999)).toEqual(POSITION);
    expect(codec.decode(cursor, BINDING, 'wks_1', NOW + LIFETIME_MS + 1000)).toBe('expired');
    expect(codec.decode(cursor, 'other', 'wks_1', NOW + LIFETIME_MS + 1000)).toBe('expired');
    expect(codec.decode(cursor, 'other', 'wks_1', NOW)).toBe('mismatch');
  });

  test('is accepted by a node whose clock is earlier than the clock of the node that issued it', () => {
    expect(codec.decode(cursor, BINDING, 'wks_1', NOW - 60_000)).toEqual(POSITION);
  });
});

describe('the secrets of a codec', () => {
  test('the first one issues cursors, and cursors of all of them are accepted', () => {
    const both = createCursorCodec([NEWER, SECRET]);
    const newer = createCursorCodec([NEWER]);
    expect(both.decode(cursor, BINDING, 'wks_1', NOW)).toEqual(POSITION);
    expect(newer.decode(cursor, BINDING, 'wks_1', NOW)).toBe('invalid');
    const issued = both.encode(POSITION, BINDING, 'wks_1', NOW);
    expect(newer.decode(issued, BINDING, 'wks_1', NOW)).toEqual(POSITION);
    expect(codec.decode(issued, BINDING, 'wks_1', NOW)).toBe('invalid');
  });

  test('at least one is required', () => {
    expect(() => createCursorCodec([])).toThrow('at least one secret');
  });
});
