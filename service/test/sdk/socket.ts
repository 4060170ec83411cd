import type { AddressInfo } from 'node:net';
import type { TestService } from '../harness/service.ts';

/** Lets the application listen on a port of this machine that is free; resolves with its address. */
export async function listen({ app }: TestService): Promise<string> {
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}
