import Fastify from 'fastify';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { clientAddress, trustOf, warnOfProxyMistakes } from '../src/proxies.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['fe80::1%eth0', 'fe80::1'],
  ['203.0.113.7:80', '203.0.113.7'],
  ['[::1]', '::1'],
  ['[2001:DB8::1]:443', '2001:db8::1'],
  ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['127.1', undefined],
  ['0177.0.0.1', undefined],
  ['203.0.113.7:', undefined],
  ['203.0.113.7:123456', undefined],
  ['[::1', undefined],
  ['unknown', undefined],
  ['', undefined],
])('of %s the client address is %s', (ip, address) => {
  expect(clientAddress({ ip })).toBe(address);
});

test('with a number of proxies, that many senders are trusted, whatever their addresses', () => {
  const trust = trustOf(2);
  expect([0, 1, 2].map((hop) => trust('192.0.2.1', hop))).toEqual([true, true, false]);
  expect(trustOf(false)('::1', 0)).toBe(false);
});

test.each([
  ['10.0.0.0/8, ::1', '10.255.0.1', true],
  ['10.0.0.0/8', '11.0.0.1', false],
  ['10.0.0.0/8', '::ffff:10.0.0.1', true],
  ['10.0.0.0/8', '10.0.0.2:4711', true],
  ['::ffff:10.0.0.0/104', '10.1.2.3', true],
  ['::ffff:10.0.0.0/104', '11.1.2.3', false],
  ['2001:db8::/32', '[2001:db8::1]:443', true],
  ['2001:db8::/32', '2001:db9::1', false],
  ['::/0', '10.0.0.1', false],
  ['192.0.2.1', '192.0.2.1', true],
  ['192.0.2.1', '192.0.2.2', false],
  ['0.0.0.0/0', 'unknown', false],
])('of the proxies %s the address %s is one: %s', (proxies, address, trusted) => {
  expect(trustOf(proxies)(address, 3)).toBe(trusted);
});

test('requests through an untrusted proxy ask at most once a minute whether to log a warning', async () => {
  const app = Fastify();
  let [now, asked] = [0, 0];
  warnOfProxyMistakes(app, {
    trust: () => false,
    registry: new Registry(),
    log: app.log,
    clock: () => now,
    isDue: async () => ++asked === 1,
  });
  app.get('/', async () => 'ok');
  const send = () => app.inject({ url: '/', headers: { 'x-forwarded-for': '203.0.113.7' } });
  await Promise.all([send(), send(), send()]);
  expect(asked).toBe(1);
  now = 60_000;
  await Promise.all([send(), send(), send()]);
  expect(asked).toBe(2);
});
