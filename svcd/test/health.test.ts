import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dataDirectory } from '@svc/embedded-postgres/testing';
import { runSvcd, startSvcd } from '@svc/service/harness/process.ts';
import { expect, test } from 'vitest';

test('svcd health exits with 0 while a service serves at the configured address, and else says what is wrong', async () => {
  const service = await startSvcd({ SVC_DATA_DIR: await dataDirectory() });
  const env = { SVC_PORT: new URL(service.url).port };
  for (const [args, path] of [
    [[], '/healthz'],
    [['--ready'], '/readyz'],
  ] as const)
    expect(await runSvcd(['health', ...args], { env })).toMatchObject({
      code: 0,
      stdout: `${service.url}${path} responds with 200\n`,
    });
  await service.stop();
  const { code, stderr } = await runSvcd(['health'], { env });
  expect([code, stderr]).toEqual([1, expect.stringContaining(`${service.url}/healthz does not respond: `)]);
});

test('svcd health exits with 1 if another program has the port', async () => {
  const other = createServer((_request, response) => response.writeHead(404).end()).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { code, stderr } = await runSvcd(['health'], { env: { SVC_PORT: String(port) } });
  other.close();
  expect([code, stderr]).toEqual([1, `svcd: http://127.0.0.1:${port}/healthz responds with 404\n`]);
});
