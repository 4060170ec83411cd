import { expect, test } from 'vitest';
import { clientAddress, networkOf, trustOf } from './client-address.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['0:0:0:0:0:ffff:cb00:7107', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
  ['2001:0db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:1::2', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
  ['', ''],
])('the address %s is counted as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['fe80::1%eth0', 'fe80::1'],
  ['203.0.113.7:80', undefined],
  ['[::1]', undefined],
  ['unknown', undefined],
  ['', undefined],
])('of %s the client address is %s', (ip, address) => {
  expect(clientAddress({ ip })).toBe(address);
});

test('a number of proxies is believed as far as it reaches, whatever their addresses', () => {
  const trust = trustOf(2);
  if (typeof trust !== 'function') throw new Error('a number is not what Fastify takes');
  expect([0, 1, 2].map((hop) => trust('192.0.2.1', hop))).toEqual([true, true, false]);
  expect([trustOf(false), trustOf('::1')]).toEqual([false, '::1']);
});
