import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { launcherFor, serverAccount } from '../../src/account/account.ts';
import { PASSWORD_ONLY } from '../../src/cluster/configuration.ts';
import { createCluster, DATABASE, ROLE } from '../../src/cluster/create.ts';
import type { Binaries } from '../../src/cluster/programs.ts';
import { ensureDirectory } from '../../src/directory/files.ts';
import { hasCode } from '../../src/errors.ts';
import { connectWhenReady } from '../../src/server/connect.ts';
import { findPostmaster, untilGone } from '../../src/server/postmaster.ts';
import { type ServerProcess, startServerProcess } from '../../src/server/server-process.ts';
import { isProcessAlive } from './process-alive.ts';
import { fastDirectory, makeTemporaryDirectory } from './temporary-directory.ts';

const MAX_CONNECTIONS = 300;
/** Two test runs may remove the same files. */
const REMOVAL_RETRIES = 3;

/** The settings of a server whose data may be lost: it never waits for the disk. */
const SETTINGS = [
  'fsync=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'shared_buffers=128MB',
  'jit=off',
  'random_page_cost=1.1',
  'timezone=UTC',
  'listen_addresses=',
  'log_checkpoints=off',
  `max_connections=${MAX_CONNECTIONS}`,
] as const;

/** The name of the socket for PostgreSQL's default port. */
const SOCKET_NAME = '.s.PGSQL.5432';

/** `svc-db-<pid of the test run>-<random>` */
const SERVER_DIRECTORY = /^svc-db-(\d+)-/;

/** A server for one run of the tests. */
export type ThrowawayServer = {
  /** The URL of the database `svc`. Its role may create further databases. */
  readonly url: string;
  readonly socketPath: string;
  /** The data directory. */
  readonly pgdata: string;
  /** The process id of the running server. */
  readonly pid: () => number;
  /** Starts a killed server again, and waits until it answers. */
  readonly restart: () => Promise<void>;
  /** Ends the server at once and removes its directory. */
  readonly stop: () => Promise<void>;
};

export interface ThrowawayOptions {
  /** More environment variables of the server. */
  readonly env?: Readonly<Record<string, string>>;
  /** More settings, such as `wal_level=replica`. */
  readonly settings?: readonly string[];
  /** Of the role. Default: a random one. */
  readonly password?: string;
}

/** Starts a PostgreSQL in a temporary directory, on a socket in it. */
export async function startThrowawayServer(
  binaries: Binaries,
  locale?: readonly string[],
  { env = {}, settings: more = [], password = randomBytes(16).toString('hex') }: ThrowawayOptions = {},
): Promise<ThrowawayServer> {
  const parent = await fastDirectory();
  await removeAbandonedServers(parent);
  const root = await makeTemporaryDirectory(`svc-db-${process.pid}`, parent);
  const account = serverAccount();
  const [pgdata, socketDirectory, logFile] = [join(root, 'data'), join(root, 's'), join(root, 'log')];
  await ensureDirectory(socketDirectory, 0o700, account);
  await createCluster({
    binaries,
    account,
    directory: pgdata,
    password,
    durable: false,
    roleAttributes: 'createdb',
    ...(locale === undefined ? {} : { locale }),
  });
  const hbaFile = join(root, 'pg_hba.conf');
  await writeFile(hbaFile, PASSWORD_ONLY);
  const settings = [
    ...SETTINGS,
    `unix_socket_directories=${socketDirectory}`,
    `hba_file=${hbaFile}`,
    ...more,
  ];
  const launcher = launcherFor(account);
  const url = `postgres://${ROLE}:${password}@/${DATABASE}?host=${socketDirectory}`;
  const launch = async (): Promise<ServerProcess> => {
    const started = await startServerProcess({ binaries, launcher, pgdata, logFile, settings, env });
    const client = await connectWhenReady({ connectionString: url }, async () => {
      const outcome = started.outcome();
      if (outcome !== undefined) throw new Error(`${outcome}: ${await readFile(logFile, 'utf8')}`);
    });
    await client.end();
    return started;
  };
  let server = await launch();
  const stop = async (): Promise<void> => {
    // An immediate shutdown writes nothing. The files are removed next.
    if (server.outcome() === undefined) process.kill(server.pid, 'SIGQUIT');
    await server.ended();
    await rm(root, { recursive: true, force: true });
  };
  const restart = async (): Promise<void> => {
    // Until the killed process is reaped, it counts as a running server.
    await server.ended();
    server = await launch();
  };
  const socketPath = join(socketDirectory, SOCKET_NAME);
  return { url, socketPath, pgdata, pid: () => server.pid, restart, stop };
}

/** Ends and removes the servers of test runs that were killed. */
async function removeAbandonedServers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const maker = SERVER_DIRECTORY.exec(name)?.[1];
    if (maker === undefined || isProcessAlive(Number(maker))) continue;
    const pgdata = join(parent, name, 'data');
    const found = await findPostmaster(pgdata);
    if (found.kind === 'running') {
      try {
        process.kill(found.pid, 'SIGQUIT');
      } catch (error) {
        // Another test run has just ended it.
        if (!hasCode(error, 'ESRCH')) throw error;
      }
      await untilGone(found.pid, pgdata);
    }
    await rm(join(parent, name), { recursive: true, force: true, maxRetries: REMOVAL_RETRIES });
  }
}
