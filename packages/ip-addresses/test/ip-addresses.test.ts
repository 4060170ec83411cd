import { expect, test } from 'vitest';
import { canonicalRange, networkOf } from '../src/index.ts';

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
  ['10.1.2.3/8', '10.0.0.0/8'],
  ['192.0.2.1', '192.0.2.1/32'],
  ['::1', '::1/128'],
  ['2001:DB8:1::/32', '2001:db8::/32'],
  ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
])('the range %s is %s', (text, range) => {
  expect(canonicalRange(text)).toBe(range);
});
