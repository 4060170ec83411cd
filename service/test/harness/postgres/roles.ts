import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startThrowawayServer, type ThrowawayServer } from '@svc/embedded-postgres/testing';
import { inject } from 'vitest';
import { onFileEnd } from '../cleanup.ts';

/** Starts a server that can become a standby, and whose `cluster_name` is this name. It ends with the test file. */
export async function startReplicable(name: string, password: string): Promise<ThrowawayServer> {
  const server = inject('databaseServer');
  if (server === undefined) throw new Error('this test file runs in a project without a database server');
  const started = await startThrowawayServer(server.binaries, server.locale, {
    settings: ['wal_level=replica', 'hot_standby=on', `cluster_name=${name}`],
    password,
  });
  onFileEnd(started.stop);
  return started;
}

/** Restarts a server as a standby. */
export async function makeStandby(server: ThrowawayServer): Promise<void> {
  await writeFile(join(server.pgdata, 'standby.signal'), '');
  process.kill(server.pid(), 'SIGINT');
  await server.restart();
}

/** Tells a standby to become the primary. It does so soon. */
export async function promote(server: ThrowawayServer): Promise<void> {
  await writeFile(join(server.pgdata, 'promote'), '');
  process.kill(server.pid(), 'SIGUSR1');
}
