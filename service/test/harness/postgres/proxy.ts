import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy to the Unix socket of a database. It can be slow, be silent, or cut its connections. */
export interface DatabaseProxy {
  readonly port: number;
  /** Cuts every connection. New ones are accepted. */
  cut(): void;
  /** Holds back all bytes, both ways, until `flow`. */
  freeze(): void;
  /** Loses all bytes of the connections that are open now, both ways. New ones work. */
  lose(): void;
  /** Delays every chunk by this many milliseconds, until `flow`. */
  delay(ms: number): void;
  flow(): void;
  close(): Promise<void>;
}

export async function startProxy(socketPath: string): Promise<DatabaseProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const lost = new WeakSet<Socket>();
  let delayMs = 0;
  let frozen: PromiseWithResolvers<void> | undefined;

  const forward = (from: Socket, to: Socket): void => {
    let turn = Promise.resolve();
    from.on('data', (chunk) => {
      turn = turn.then(async () => {
        if (delayMs > 0) await elapsed(delayMs);
        if (frozen !== undefined) await frozen.promise;
        if (!to.destroyed && !lost.has(to)) to.write(chunk);
      });
    });
    from.on('end', () => {
      turn = turn.then(() => void to.end());
    });
    from.on('close', () => to.destroy());
    from.on('error', () => to.destroy());
  };
  const server = createServer((client) => {
    const database = connect(socketPath);
    const pair = [client, database] as const;
    pairs.add(pair);
    client.on('close', () => pairs.delete(pair));
    forward(client, database);
    forward(database, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const cut = (): void => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  const flow = (): void => {
    delayMs = 0;
    frozen?.resolve();
    frozen = undefined;
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    flow,
    freeze() {
      frozen ??= Promise.withResolvers();
    },
    lose() {
      for (const pair of pairs) for (const socket of pair) lost.add(socket);
    },
    delay(ms) {
      delayMs = ms;
    },
    async close() {
      flow();
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

export const elapsed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
