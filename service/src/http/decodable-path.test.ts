import { expect, test } from 'vitest';
import { decodablePath } from './decodable-path.ts';

test.each(['/', '/v1/audits', '/v1/audits/%41%C3%A9', '/v1/audits?x=%zz', '/v1/audits/x%2Fy?cursor=%'])(
  'a URL whose path can be decoded stays as it is: %s',
  (url) => {
    expect(decodablePath(url)).toBe(url);
  },
);

test.each([
  ['/v1/%zz', '/v1/%25zz'],
  ['/%', '/%25'],
  ['/v1/audits/%41%E0%A4%A?x=%zz', '/v1/audits/%2541%25E0%25A4%25A?x=%zz'],
])('the percent signs of a path that cannot be decoded stand for themselves: %s', (url, decodable) => {
  expect(decodablePath(url)).toBe(decodable);
});
