import { startThrowawayServer } from '@svc/embedded-postgres/testing';
import { inject } from 'vitest';
import { onFileEnd } from '../harness/cleanup.ts';
import { startProxy } from '../harness/postgres/proxy.ts';
import { databaseUrl } from '../harness/postgres/template.ts';
import { type ClientOptions, type Run, runClients } from './clients.ts';
import { FAULT_NAMES, injectFaults } from './faults.ts';
import { randomOf } from './random.ts';

/** A run of so many seconds has a receiver that does not respond once. The service waits 15 seconds for it. */
const HANGS_FROM_SECONDS = 20;

export interface RunOptions extends Partial<ClientOptions> {
  readonly seed: number;
  readonly seconds: number;
  /** The names of the faults that are injected. Default: all of them. */
  readonly faults?: readonly string[];
}

/** Runs clients on two nodes under a schedule of faults, heals everything, and returns what there is to check. */
export async function runHistory({
  seed,
  seconds,
  faults: names = FAULT_NAMES,
  ...options
}: RunOptions): Promise<Run> {
  const made = inject('databaseServer');
  if (made === undefined) throw new Error('this runs in a project with a database server');
  const database = await startThrowawayServer(made.binaries, made.locale);
  onFileEnd(database.stop);
  const proxy = await startProxy(database.socketPath);
  onFileEnd(proxy.close);
  const service = { url: tcpUrl(database.url, proxy.port), directUrl: database.url };
  const hangs = seconds >= HANGS_FROM_SECONDS;
  return runClients(service, { seed, hangs, ...options }, ({ nodes }) =>
    injectFaults({ nodes, database, proxy }, randomOf(seed), performance.now() + seconds * 1_000, names),
  );
}

/** The same database by the proxy. */
function tcpUrl(url: string, port: number): string {
  return databaseUrl(url, 'svc').replace(/@\/(\w+)\?host=.*$/, `@127.0.0.1:${port}/$1`);
}
