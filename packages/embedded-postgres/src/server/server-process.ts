import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { dirname } from 'node:path';
import type { Launcher } from '../account/account.ts';
import type { Binaries } from '../cluster/programs.ts';
import { keepOwner, openUnlinked } from '../directory/files.ts';
import { EmbeddedError } from '../errors.ts';
import { clusterSetting } from './postmaster.ts';

/** A server that this process has started. */
export type ServerProcess = {
  readonly pid: number;
  /** How the server ended: exit code, signal or error. Undefined while it runs. */
  readonly outcome: () => string | undefined;
  /** Resolves with `outcome` when the server has ended. Only this call keeps this process alive while the server runs. */
  readonly ended: () => Promise<string>;
};

type ServerProcessOptions = {
  readonly binaries: Pick<Binaries, 'postgres'>;
  readonly launcher: Launcher;
  readonly pgdata: string;
  /** The path by which the server uses `pgdata`, its working directory. Default: `pgdata`. */
  readonly reachedAs?: string;
  /** The server's output is appended to this file. */
  readonly logFile: string;
  /** Each `name=value`, as in postgresql.conf. */
  readonly settings: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Descriptors that all processes of the server keep open as 3, 4 and so on. */
  readonly inherit?: readonly number[];
};

const { O_APPEND, O_CREAT, O_WRONLY } = constants;
const LOG_FLAGS = O_APPEND | O_CREAT | O_WRONLY;

/**
 * Starts the server in a session of its own: Ctrl-C goes only to the service, which finishes its requests before it
 * stops the database. The server writes to a file, not to a pipe, so that it goes on if the service is killed.
 */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const { binaries, launcher, pgdata, reachedAs = pgdata } = options;
  const settings = [...options.settings, clusterSetting(pgdata)].flatMap((setting) => ['-c', setting]);
  const { file, args, options: base } = launcher(binaries.postgres, ['-D', reachedAs, ...settings], pgdata);
  const log = await openUnlinked(options.logFile, LOG_FLAGS, 0o600);
  try {
    await keepOwner(log, dirname(options.logFile));
    const child = spawn(file, args, {
      ...base,
      env: { ...base.env, ...options.env },
      detached: true,
      stdio: ['ignore', log.fd, log.fd, ...(options.inherit ?? [])],
    });
    child.unref();
    let outcome: string | undefined;
    const ended = new Promise<string>((resolve) => {
      const end = (text: string) => {
        outcome = text;
        resolve(text);
      };
      child.once('error', (error) => end(error.message));
      child.once('exit', (code, signal) => end(signal === null ? `exit code ${code}` : `signal ${signal}`));
    });
    if (child.pid === undefined) throw new EmbeddedError(`PostgreSQL cannot be started: ${await ended}`);
    const waitForEnd = (): Promise<string> => {
      if (outcome === undefined) child.ref();
      return ended;
    };
    return { pid: child.pid, outcome: () => outcome, ended: waitForEnd };
  } finally {
    await log.close();
  }
}
