import dns, { type LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import pg from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { askHosts, clientOfPrimary, createPrimary } from '../src/index.ts';

type Found = (error: null, addresses: LookupAddress[]) => void;

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** The port of a server that sends these bytes after the first ones of the client. */
async function startSending(bytes: readonly number[]): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(Buffer.from(bytes)));
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test.each([
  ['asks for Kerberos, which pg does not know', [0x52, 0, 0, 0, 8, 0, 0, 0, 7]],
  ['sends messages without their length', [0x52, 0, 0, 0, 0, 0x52, 0, 0, 0, 0]],
])('a server that %s is no primary, and ends no process', async (_, bytes) => {
  const port = await startSending(bytes);
  const url = `postgres://u:hunter2@127.0.0.1:${port}/svc`;
  const reason = new RegExp(`^127\\.0\\.0\\.1:${port} has sent what cannot be read: Unknown authentication`);
  const [state] = await askHosts([url]);
  expect([state?.role, state?.error?.message]).toEqual([undefined, expect.stringMatching(reason)]);

  const Client = clientOfPrimary(pg.Client, createPrimary([url]), { writes: true });
  const failed = new Client({ connectionString: url }).connect();
  await expect(failed).rejects.toMatchObject({ code: 'ECONNRESET', message: expect.stringMatching(reason) });
});

test('the reason of a name with several addresses names each of them', async () => {
  const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  const lookup = vi
    .spyOn(dns, 'lookup')
    .mockImplementation(((_: string, __: object, done: Found) => done(null, addresses)) as typeof dns.lookup);
  const [state] = await askHosts(['postgres://u:hunter2@db:1/svc']);
  lookup.mockRestore();
  expect(state?.error?.message).toBe(
    'db:1: connect ECONNREFUSED 127.0.0.1:1, connect ECONNREFUSED 127.0.0.2:1',
  );
});
