import { expect, test } from 'vitest';
import { parseNetworks } from '../src/index.ts';
import { type Receiver, startReceiver } from './support/receiver.ts';
import { outcomeOf, testResolver, testSender } from './support/sender.ts';

/** Each spells 127.0.0.1 or ::1. */
const LOOPBACK: readonly string[] = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '2130706433',
  '017700000001',
  '0x7f000001',
  '0x7F.1',
  '0177.0.0.1',
  '127.0x0.00.1',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '①②⑦.0.0.1',
  '127。0。0。1',
  'localhost',
  'LOCALHOST.',
  'ｌocalhost',
  'receiver.localhost',
];

test.each(LOOPBACK)('a loopback address is refused in every notation: %s', async (host) => {
  const receiver = await startReceiver();
  const url = `http://${host}:${receiver.port}/`;
  const refused = await testSender({ networks: [] })(url);
  expect([outcomeOf(refused), receiver.connections()]).toEqual(['address_refused', 0]);
  const allowed = await testSender()(url);
  expect([outcomeOf(allowed), receiver.connections()]).toEqual([200, 1]);
});

test('a refusal of an address says who can allow it', async () => {
  const refused = await testSender({ networks: [] })('https://localhost/');
  expect(refused).toMatchObject({ message: expect.stringMatching(/The operator can allow its network\.$/) });
});

test('the loopback address of IPv6 is refused unless an allowed network contains it', async () => {
  const { port } = await startReceiver(undefined, '::1');
  for (const host of ['[::1]', '[0:0:0:0:0:0:0:1]', '[::0001]']) {
    const url = `http://${host}:${port}/`;
    expect(outcomeOf(await testSender({ networks: [] })(url))).toBe('address_refused');
    expect(outcomeOf(await testSender()(url))).toBe(200);
  }
});

test.each([
  ['unspecified', ['0.0.0.0', '0', '0.1.2.3', '[::]']],
  ['private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '[fc00::1]', '[fd12:3456::1]']],
  ['shared by customers of a provider', ['100.64.0.1', '100.127.255.255']],
  ['link-local', ['169.254.0.1', '[fe80::1]', '[febf::1]', '[fec0::1]']],
  [
    'metadata',
    ['169.254.169.254', '2852039166', '100.100.100.200', '192.0.0.192', '168.63.129.16', '[fd00:ec2::254]'],
  ],
  ['multicast or broadcast', ['224.0.0.1', '239.255.255.255', '255.255.255.255', '[ff02::1]']],
  ['reserved', ['192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '240.0.0.1', '192.88.99.1']],
  ['reserved in IPv6', ['[100::1]', '[2001:db8::1]', '[3fff::1]', '[4000::1]', '[5f00::1]', '[2001:2::1]']],
  [
    'IPv4-mapped',
    ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:a9fe:a9fe]', '[::ffff:8.8.8.8]'],
  ],
  ['IPv4-compatible', ['[::127.0.0.1]', '[::8.8.8.8]']],
  ['NAT64', ['[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::a00:1]', '[64:ff9b::8.8.8.8]']],
  ['6to4 or Teredo', ['[2002:7f00:1::]', '[2002:a00:1::1]', '[2001:0:7f00:1::1]']],
])('an address that is %s is refused', async (_, hosts) => {
  const send = testSender({ networks: [] });
  for (const host of hosts) {
    expect([host, outcomeOf(await send(`https://${host}/`))]).toEqual([host, 'address_refused']);
  }
});

test('a name that leads to refused addresses is refused, whatever the notation of its answer', async () => {
  const addresses = ['10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1', 'fe80::1'];
  const zone = Object.fromEntries(addresses.map((address, index) => [`n${index}.test`, [[address]]]));
  const send = testSender({ networks: [], resolve: await testResolver(zone) });
  for (const name of Object.keys(zone)) {
    expect([name, outcomeOf(await send(`https://${name}/`))]).toEqual([name, 'address_refused']);
  }
});

test('of several addresses only the allowed ones are used', async () => {
  const [allowed, refused] = await twoReceivers();
  const resolve = await testResolver({ 'receiver.test': [['127.0.0.1', '127.0.0.2', '::1']] });
  const send = testSender({ networks: parseNetworks('127.0.0.2'), resolve });
  expect(outcomeOf(await send(`http://receiver.test:${allowed.port}/`))).toBe(200);
  expect([allowed.connections(), refused.connections()]).toEqual([1, 0]);
});

test('when an address does not accept a connection, the next one is tried', async () => {
  const { port } = await startReceiver(undefined, '127.0.0.2');
  const send = testSender({ resolve: await testResolver({ 'receiver.test': [['127.0.0.3', '127.0.0.2']] }) });
  expect(outcomeOf(await send(`http://receiver.test:${port}/`))).toBe(200);
});

test('a name that changes its address is checked again, and no open connection is used for it', async () => {
  const [first, second] = await twoReceivers();
  const resolve = await testResolver({ 'receiver.test': [['127.0.0.2'], ['127.0.0.2'], ['127.0.0.1']] });
  const url = `http://receiver.test:${first.port}/`;
  const send = testSender({ networks: parseNetworks('127.0.0.2'), resolve });
  const outcomes = [await send(url), await send(url), await send(url)].map(outcomeOf);
  expect(outcomes).toEqual([200, 200, 'address_refused']);
  expect([first.requests.length, first.connections(), second.connections()]).toEqual([2, 1, 0]);
});

test('after an allowed change of its address, a name gets a new connection to the new address', async () => {
  const [first, second] = await twoReceivers();
  const send = testSender({
    resolve: await testResolver({ 'receiver.test': [['127.0.0.2'], ['127.0.0.1']] }),
  });
  const url = `http://receiver.test:${first.port}/`;
  expect([await send(url), await send(url)].map(outcomeOf)).toEqual([200, 200]);
  expect([first.connections(), second.connections()]).toEqual([1, 1]);
});

test('the name is resolved once: an answer for a second query is never used', async () => {
  const [first, second] = await twoReceivers();
  let calls = 0;
  const resolve = async () => {
    calls += 1;
    return calls === 1 ? ['127.0.0.2'] : ['127.0.0.1'];
  };
  const send = testSender({ networks: parseNetworks('127.0.0.2'), resolve });
  expect(outcomeOf(await send(`http://receiver.test:${first.port}/`))).toBe(200);
  expect([calls, second.connections()]).toEqual([1, 0]);
});

test('an international name is resolved in its ASCII form', async () => {
  const receiver = await startReceiver();
  const send = testSender({ resolve: await testResolver({ 'xn--bcher-kva.test': [['127.0.0.1']] }) });
  expect(outcomeOf(await send(`http://bücher.test.:${receiver.port}/hook?a=1#part`))).toBe(200);
  const [request] = receiver.requests;
  expect(request?.headers.host).toBe(`xn--bcher-kva.test.:${receiver.port}`);
  expect(request?.url).toBe('/hook?a=1');
});

test.each([
  'ftp://example.com/',
  'file:///etc/passwd',
  'example.com/hook',
  'https://',
  'https://user@example.com/',
  'https://user:secret@example.com/',
  'https://example.com@127.0.0.1/',
  'https://[fe80::1%25eth0]/',
  'https://[::1/',
  'https://1.2.3.4.5/',
  'https://256.0.0.1/',
  'https://a b/',
  ' https://example.com/',
  'https://example.com/\n',
  'https://exam\tple.com/',
  'https://example.com/a b',
  'https://example.com/\u0085',
  'https:example.com',
  'https:\\\\example.com',
  'https:///example.com/',
  'https:////example.com/',
  'https://\\example.com/',
  'https:/\\example.com/',
  'https://example.com\\@127.0.0.1/',
  'https://example.com\\hook',
  `https://example.com/${'a'.repeat(2048)}`,
])('an invalid URL is refused: %s', async (url) => {
  expect(outcomeOf(await testSender()(url))).toBe('invalid_url');
});

test('http is allowed only in allowed networks', async () => {
  const { port } = await startReceiver();
  const resolve = await testResolver({
    'receiver.test': [['1.1.1.1', '127.0.0.1']],
    'public.test': [['1.1.1.1']],
  });
  const send = testSender({ resolve });
  expect(outcomeOf(await send(`http://receiver.test:${port}/`))).toBe(200);
  expect(outcomeOf(await send('http://public.test/'))).toBe('https_required');
  expect(outcomeOf(await send('http://1.1.1.1/'))).toBe('https_required');
});

test('a name without an address cannot be resolved', async () => {
  const send = testSender({ resolve: await testResolver({ 'empty.test': [[]] }) });
  const result = await send('https://missing.test/');
  expect(result).toMatchObject({
    reason: 'unresolvable',
    message: 'The host name cannot be resolved (ENOTFOUND).',
  });
  expect(outcomeOf(await send('https://empty.test/'))).toBe('unresolvable');
});

test('a list of networks is parsed strictly', () => {
  expect(parseNetworks(' ')).toEqual([]);
  expect(parseNetworks('10.0.0.0/8, fd00::/8,192.0.2.7').map(([base, bits]) => `${base}/${bits}`)).toEqual([
    '10.0.0.0/8',
    'fd00::/8',
    '192.0.2.7/32',
  ]);
  const wrong = [
    '10.0.0.1/8',
    '10/8',
    '010.0.0.0/8',
    '10.0.0.0/33',
    'fd00::/129',
    'fe80::%eth0/64',
    'a',
    '10.0.0.0/8,',
  ];
  for (const text of wrong) expect(() => parseNetworks(text), text).toThrow(/"[^"]*" (?:is not|has)/);
});

/** Two servers with the same port, on 127.0.0.2 and 127.0.0.1. */
async function twoReceivers(attempts = 10): Promise<readonly [Receiver, Receiver]> {
  const first = await startReceiver(undefined, '127.0.0.2');
  try {
    return [first, await startReceiver(undefined, '127.0.0.1', first.port)];
  } catch (error) {
    // A port that is free on one address can be in use on the other.
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || attempts === 1) throw error;
    return twoReceivers(attempts - 1);
  }
}
