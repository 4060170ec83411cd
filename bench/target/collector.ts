import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A collector of OTLP that reads and forgets what it gets. */
interface Collector {
  readonly url: string;
  readonly bytes: () => number;
  readonly stop: () => void;
}

export async function startCollector(): Promise<Collector> {
  let bytes = 0;
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => response.writeHead(200).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bytes: () => bytes,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
