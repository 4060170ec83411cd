import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '@svc/embedded-postgres';
import type pg from 'pg';
import { ensurePartitions } from '../service/src/audit-log/partitions.ts';
import { migrate } from '../service/src/database/migrate.ts';
import { createPool, FOR_COMMANDS } from '../service/src/database/pool.ts';

/** The connections of a service. So the embedded server gets the memory settings for a service, not for a command. */
const CONNECTIONS = 16;

/** A server process that a benchmark measures. */
export interface MeasuredServer {
  readonly process: ChildProcess;
  readonly origin: string;
}

/** Starts a file that sends its address when it listens. Throws if it ends before. */
export async function startServer(file: URL, env: Readonly<Record<string, string>>): Promise<MeasuredServer> {
  const child = fork(file, { env: { ...process.env, ...env } });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${file} ended with ${code}`)));
  ended.catch(() => undefined);
  const [address] = (await Promise.race([once(child, 'message'), ended])) as [AddressInfo];
  return { process: child, origin: `http://127.0.0.1:${address.port}` };
}

/** Runs a measurement on a new embedded server, which is removed afterwards. */
export async function onDatabase(work: (url: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  await writeFile(join(directory, 'README'), 'A benchmark runs here; it removes this folder when it ends.\n');
  const log = { debug: () => undefined, info: () => undefined, warn: console.warn, error: console.error };
  const dataDir = join(directory, 'data');
  const server = await startEmbedded({ dataDir, purpose: 'bench', connections: CONNECTIONS, log });
  try {
    await work(server.url);
  } finally {
    await server.stop();
    await rm(directory, { recursive: true });
  }
}

/** Brings the schema and what `seed` writes into the database. */
export async function seeded<T>(url: string, seed: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const pool = createPool({ url, max: 2, name: 'bench', onError: console.error, ...FOR_COMMANDS });
  try {
    await migrate(pool);
    await ensurePartitions(pool, Date.now());
    await pool.query('set statement_timeout = 0');
    const result = await seed(pool);
    await pool.query('checkpoint');
    return result;
  } finally {
    await pool.end();
  }
}

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** The median, and the least and greatest value: `0.58 (0.56 to 0.59)`. */
export const spread = (values: readonly number[], digits = 2): string =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`;

/** The spread of the ratios of two series that were measured alternately, round by round. */
export const ratio = (a: readonly number[], b: readonly number[]): string =>
  spread(a.map((value, i) => value / (b[i] ?? Number.NaN)));
