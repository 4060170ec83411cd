import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { onFileEnd } from '../../test/harness/cleanup.ts';
import { addressOf, freePort, listenFailure } from './listen.ts';

const failure = (code: string): Error => Object.assign(new Error(code), { code });

test.each([
  ['EADDRINUSE', '127.0.0.1', 8080, '127.0.0.1:8080: port 8080 is in use'],
  ['EACCES', '::', 80, '[::]:80: only privileged programs may use port 80. Set SVC_PORT to 1024 or more'],
  ['EADDRNOTAVAIL', '192.0.2.1', 8080, '192.0.2.1:8080: 192.0.2.1 is not an address of this machine'],
  ['ENOTFOUND', 'nowhere', 8080, 'nowhere:8080: the host name nowhere is unknown'],
])('%s is told with the address and what to do', (code, host, port, text) => {
  expect(listenFailure(failure(code), host, port).message).toContain(`cannot listen on ${text}`);
});

test('freePort returns the preferred port, or another one if that is in use', async () => {
  const preferred = await freePort('127.0.0.1');
  expect(await freePort('127.0.0.1', preferred)).toBe(preferred);
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(preferred, '127.0.0.1', resolve));
  onFileEnd(() => new Promise((resolve) => void taken.close(() => resolve())));
  expect(await freePort('127.0.0.1', preferred)).not.toBe(preferred);
});

test('addressOf returns one address: an address unchanged, and the IPv4 address for localhost', async () => {
  const hosts = ['127.0.0.1', '0.0.0.0', '::1', '::', 'localhost'];
  expect(await Promise.all(hosts.map(addressOf))).toEqual([...hosts.slice(0, -1), '127.0.0.1']);
});
