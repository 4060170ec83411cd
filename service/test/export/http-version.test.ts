import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { listen } from '../harness/socket.ts';
import { createWorld } from '../harness/world.ts';

const { service, token } = await createWorld();
const { port } = new URL(await listen(service));

/** The response to a request over HTTP/1.0, as it arrives. */
function responseOf(path: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const socket = connect(Number(port), '127.0.0.1');
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${path} HTTP/1.0\r\n${lines.join('')}\r\n`);
  return text(socket);
}

test('over HTTP/1.0, an export is refused, because its end could not be told from a broken connection', async () => {
  const headers = { authorization: `Bearer ${token}` };
  expect(await responseOf('/v1/companies', headers)).toMatch(/^HTTP\/1\.1 200 /);
  const refused = await responseOf('/v1/companies/export', headers);
  expect(refused).toMatch(/^HTTP\/1\.1 400 /);
  expect(refused).toContain('An export needs HTTP/1.1, also from a proxy to the service.');
});
