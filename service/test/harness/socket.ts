import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import type { TestService } from './service.ts';

/** Lets the application listen on a free port. Resolves with its URL. */
export async function listen({ app }: TestService): Promise<string> {
  await app.listen({ host: '127.0.0.1', port: 0 });
  return `http://127.0.0.1:${portOf(app.server)}`;
}

export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** A URL with a port on which no program listens. */
export async function addressOfNobody(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${portOf(server)}`;
  await new Promise((resolve) => server.close(resolve));
  return address;
}
