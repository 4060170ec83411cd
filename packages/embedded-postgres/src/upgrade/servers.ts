import { setTimeout as delay } from 'node:timers/promises';
import type { Layout } from '../directory/data-directory.ts';
import type { Log } from '../log.ts';
import type { Server } from '../server/connect.ts';
import { type LaunchOptions, launch } from '../server/launch.ts';
import { lockedError } from '../server/open.ts';
import { claimServer, endServer } from '../users/membership.ts';

/** How long to repeat a start that fails because sessions of a killed server still end. */
const PATIENCE_MS = 30_000;
const RETRY_PAUSE_MS = 50;

/** A server that only this process uses. */
export type OwnServer = { readonly server: Server; readonly layout: Layout };

/** Starts a server that no other process can join. The caller has the lock. */
export async function startOwnServer(options: LaunchOptions): Promise<OwnServer> {
  const { layout } = options;
  const started = performance.now();
  for (;;) {
    const server = await launch(options);
    if (server !== undefined) {
      await claimServer(server, layout);
      return { server, layout };
    }
    if (performance.now() - started > PATIENCE_MS) throw await lockedError(layout);
    await delay(RETRY_PAUSE_MS);
  }
}

/** Shuts the servers down that still run, and waits for their ends. Tries all, then throws the first failure. */
export async function endServers(servers: readonly OwnServer[], log: Log): Promise<void> {
  const ends = await Promise.allSettled(
    servers.map(({ server, layout }) =>
      server.child?.outcome() === undefined ? endServer(server, layout, log) : server.client.end(),
    ),
  );
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
