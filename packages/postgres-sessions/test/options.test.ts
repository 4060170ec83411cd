import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { explainRefusal, explainRefusalAt, takeOptions, withVerifiedTls } from '../src/index.ts';

test.each([
  ['postgres://u:p@h/d', 'postgres://u:p@h/d', ''],
  ['postgres://u:p@h/d?options=-c%20a%3Db', 'postgres://u:p@h/d', '-c a=b'],
  [
    'postgres://u:p@h/d?sslmode=require&options=-c+a%3Db&x=%2F',
    'postgres://u:p@h/d?sslmode=require&x=%2F',
    '-c a=b',
  ],
  [
    'postgres://u@/d?host=/run/pg&options=-c a=b&options=-c c=d',
    'postgres://u@/d?host=/run/pg',
    '-c a=b -c c=d',
  ],
  ['postgres://h/d?statement_timeout=0&query_timeout=1&lock_timeout=1', 'postgres://h/d', ''],
  ['postgres://h/d?application_name=x#f', 'postgres://h/d?application_name=x#f', ''],
])('%s is %s with the options "%s"', (databaseUrl, url, options) => {
  expect(takeOptions(databaseUrl)).toEqual({ url, options });
});

test.each([
  ['postgres://h/d?sslmode=require', 'postgres://h/d?sslmode=verify-full'],
  ['postgres://h/d?x=1&sslmode=verify-ca&y=2', 'postgres://h/d?x=1&sslmode=verify-full&y=2'],
  ['postgres://a,b/d?sslmode=prefer#f', 'postgres://a,b/d?sslmode=verify-full#f'],
  ['postgres://h/d?sslmode=disable', 'postgres://h/d?sslmode=disable'],
  ['postgres://h/d?sslmode=no-verify', 'postgres://h/d?sslmode=no-verify'],
  ['postgres://u:sslmode=require@h/d', 'postgres://u:sslmode=require@h/d'],
  [
    'postgres://h/d?uselibpqcompat=true&sslmode=require',
    'postgres://h/d?uselibpqcompat=true&sslmode=require',
  ],
])('with the only mode of TLS, %s is %s', (databaseUrl, url) => {
  expect(withVerifiedTls(databaseUrl)).toBe(url);
});

test('a certificate that is not accepted is explained, without another connection', async () => {
  const error = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  expect(explainRefusal(error)).toContain('not accepted (self-signed certificate)');
  expect(explainRefusal(new Error('self-signed certificate'))).toBeUndefined();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await explainRefusalAt(error, `postgres://u@127.0.0.1:${port}/d`)).toBe(explainRefusal(error));
  server.close();
  expect(connections).toBe(0);
});
