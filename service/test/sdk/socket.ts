import type { AddressInfo, Server } from 'node:net';
import type { TestService } from '../harness/service.ts';

/** Lets the application listen on a port of this machine that is free; resolves with its address. */
export async function listen({ app }: TestService): Promise<string> {
  await app.listen({ host: '127.0.0.1', port: 0 });
  return `http://127.0.0.1:${portOf(app.server)}`;
}

export const portOf = (server: Server): number => (server.address() as AddressInfo).port;
