import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalTarget, requestId } from './request.ts';

const NEW = /^req_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test.each(['a', 'A-b_c.d:9', 'x'.repeat(128)])('a valid id is kept: %s', (id) => {
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

test('Request-Id takes precedence over X-Request-Id', () => {
  expect(requestId({ headers: { 'request-id': 'one', 'x-request-id': 'two' } })).toBe('one');
});

test('the ids that the service creates never repeat', () => {
  const ids = Array.from({ length: 1_000 }, () => requestId({ headers: {} }));
  expect(new Set(ids).size).toBe(ids.length);
});

test.each([
  '/',
  '/v1/audits',
  '/v1/audits/%C3%A9',
  '/v1/audits?x=%zz',
  '/v1/audits/x%2Fy?cursor=%',
  '/v1/audits?from=http://a/',
  '//host/v1',
  '*',
])('a target in its canonical spelling stays as it is: %s', (target) => {
  expect(canonicalTarget(target)).toBe(target);
});

test.each([
  ['/v1/%63ompanies', '/v1/companies'],
  ['/%76%31/companies%2d%5F%7e?%63=%63', '/v1/companies-_~?%63=%63'],
  ['/v1/%2563ompanies', '/v1/%2563ompanies'],
  ['/v1/a%2fb%c3%a9', '/v1/a%2Fb%C3%A9'],
  ['/v1/%zz', '/v1/%25zz'],
  ['/%', '/%25'],
  ['/v1/audits/%41%E0%A4%A?x=%zz', '/v1/audits/%2541%25E0%25A4%25A?x=%zz'],
  ['http://svc.example/v1/companies?limit=1', '/v1/companies?limit=1'],
  ['HTTPS://user@svc.example:8080/v1/%63ompanies', '/v1/companies'],
  ['http://svc.example', '/'],
  ['http://svc.example?limit=1', '/?limit=1'],
])('%s is %s', (target, canonical) => {
  expect(canonicalTarget(target)).toBe(canonical);
});

test('all encodings of a path get the same spelling, and a second pass changes nothing', () => {
  const character = fc.constantFrom(...'abzAZ019-._~/');
  fc.assert(
    fc.property(fc.array(fc.tuple(character, fc.nat(2)), { maxLength: 40 }), (characters) => {
      const plain = `/${characters.map(([c]) => c).join('')}`;
      const encoded = characters.map(([c, how]) => {
        const hex = c.charCodeAt(0).toString(16).padStart(2, '0');
        return c === '/' || how === 0 ? c : `%${how === 1 ? hex : hex.toUpperCase()}`;
      });
      expect(canonicalTarget(`/${encoded.join('')}`)).toBe(plain);
    }),
  );
  fc.assert(
    fc.property(fc.webPath(), (path) => {
      const once = canonicalTarget(`/${path}`);
      expect(canonicalTarget(once)).toBe(once);
    }),
  );
});
