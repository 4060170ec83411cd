import { expect, test } from 'vitest';
import { requestId } from './request-id.ts';

const NEW = /^req_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test.each(['a', 'A-b_c.d:9', 'x'.repeat(128)])('a sane id is kept: %s', (id) => {
  expect(requestId({ headers: { 'request-id': id } })).toBe(id);
  expect(requestId({ headers: { 'x-request-id': id } })).toBe(id);
});

test.each([
  '',
  ' a',
  'a b',
  'x'.repeat(129),
  'a\n',
  'a"',
  'ä',
  `svc_test_${'a'.repeat(32)}`,
  `x:svc_live_${'-'.repeat(32)}`,
])('an insane id, or one that holds a token, is replaced: %j', (id) => {
  expect(requestId({ headers: { 'request-id': id } })).toMatch(NEW);
  expect(requestId({ headers: { 'x-request-id': id } })).toMatch(NEW);
});

test('Request-Id goes before X-Request-Id', () => {
  expect(requestId({ headers: { 'request-id': 'one', 'x-request-id': 'two' } })).toBe('one');
});

test('ids that the service makes never repeat', () => {
  const ids = Array.from({ length: 1_000 }, () => requestId({ headers: {} }));
  expect(new Set(ids).size).toBe(ids.length);
});
