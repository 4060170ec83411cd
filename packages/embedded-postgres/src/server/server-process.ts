import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import type { Launcher } from '../account/account.ts';
import type { Binaries } from '../cluster/programs.ts';
import { openUnlinked } from '../directory/files.ts';
import { EmbeddedError } from '../errors.ts';
import { clusterSetting } from './postmaster.ts';

/** A postmaster that this process has started. */
export type ServerProcess = {
  readonly pid: number;
  /** How it ended, once it has; before that undefined. */
  readonly outcome: () => string | undefined;
  /**
   * Resolves with `outcome` when it has ended. The server alone does not keep this process alive;
   * a call of this does.
   */
  readonly ended: () => Promise<string>;
};

export type ServerProcessOptions = {
  readonly binaries: Binaries;
  readonly launcher: Launcher;
  readonly pgdata: string;
  /** The path by which the server reaches it, from there. Default: `pgdata`. */
  readonly reachedAs?: string;
  /** What the server says is appended here. */
  readonly logFile: string;
  /** `name=value`, as in postgresql.conf. */
  readonly settings: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Descriptors that the server keeps open as 3, 4 and so on, as long as one of its processes lives. */
  readonly inherit?: readonly number[];
};

const { O_APPEND, O_CREAT, O_WRONLY } = constants;
const LOG_FLAGS = O_APPEND | O_CREAT | O_WRONLY;

/**
 * Starts the postmaster, in a session of its own: a Ctrl-C on the terminal is for the service, which ends its
 * requests first and the database last. It writes to a file and not to a pipe, so it outlives a killed service.
 */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const { binaries, launcher, pgdata, reachedAs = pgdata } = options;
  const settings = [...options.settings, clusterSetting(pgdata)].flatMap((setting) => ['-c', setting]);
  const { file, args, options: base } = launcher(binaries.postgres, ['-D', reachedAs, ...settings], pgdata);
  const log = await openUnlinked(options.logFile, LOG_FLAGS, 0o600);
  try {
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
