import { isConnectionLoss } from './connect.ts';
import { errorCode } from './error.ts';
import type { Layout } from './layout.ts';
import { leaveUsers, otherUsers } from './ownership.ts';
import { untilGone } from './postmaster.ts';
import type { Log, Server } from './server.ts';

/**
 * Leaves the server; who is the last one shuts it down and waits for its end. While others use it (a command
 * beside a service that stops) it is left to them: the last of them shuts it down.
 */
export async function leave(server: Server, layout: Layout, log: Log): Promise<void> {
  try {
    if (await leaveUsers(server.client)) {
      if (server.local) return await shutDown(server, layout, log);
      // Its process id is that of another process here.
      return log.info('left PostgreSQL running: it runs in another container, and ends with that');
    }
    const others = (await otherUsers(server.client)).join(', ');
    log.info(
      { pid: server.pid },
      `left PostgreSQL (pid ${server.pid}) running for ${others || 'another process'}`,
    );
  } catch (error) {
    // It is gone already, which is where this was going.
    if (!isConnectionLoss(error)) throw error;
  } finally {
    await server.client.end();
  }
}

/** A fast shutdown: sessions are cut, their open transactions rolled back, everything is written. */
async function shutDown({ pid, child }: Server, layout: Layout, log: Log): Promise<void> {
  const started = performance.now();
  try {
    process.kill(pid, 'SIGINT');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
  const outcome = child === undefined ? await untilGone(pid, layout.pgdata) : await child.ended();
  const ms = Math.round(performance.now() - started);
  if (outcome === undefined || outcome === 'exit code 0') log.info({ pid, ms }, 'stopped PostgreSQL');
  else log.warn({ pid, ms }, `PostgreSQL stopped with ${outcome}; see ${layout.logFile}`);
}
