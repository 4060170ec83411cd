import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { type Account, clusterMaker, launcherFor } from '../account/account.ts';
import { barrierTo, hasDescriptorPaths, impassable, WORKING_DIRECTORY } from '../account/reach.ts';
import { ensureDirectory } from '../directory/files.ts';
import { EmbeddedError } from '../errors.ts';
import { handOver } from './hand-over.ts';
import type { Binaries } from './programs.ts';

/** The role that owns the service's database; it is no superuser, as it would not be on an operator's server. */
export const ROLE = 'svc';
/** The service's database. */
export const DATABASE = 'svc';
/** The cluster's superuser. It has no password and therefore cannot log in: single-user mode is its only door. */
const SUPERUSER = 'postgres';

const PRIVATE = 0o700;

/** Byte order everywhere, full Unicode for lower() and upper(), and no dependence on the machine's locales. */
export const BUILTIN_LOCALE = [
  '--no-locale',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
] as const;

export type ClusterOptions = {
  readonly binaries: Binaries;
  /** Who owns the cluster afterwards; undefined: the current user. */
  readonly account: Account | undefined;
  /** Empty, or not there. */
  readonly directory: string;
  /** For ROLE; letters, digits, `-` and `_` only. */
  readonly password: string;
  /** Arguments of initdb; BUILTIN_LOCALE needs PostgreSQL 17. */
  readonly locale?: readonly string[];
  /** Off for a throw-away cluster: saves the waiting for the disk. */
  readonly durable?: boolean;
  /** Descriptors that every program keeps open as 3, 4 and so on until it ends. */
  readonly inherit?: readonly number[];
  /** Attributes of ROLE beyond `login`. */
  readonly roleAttributes?: string;
};

/** Makes a cluster with the role and the database of the service in it. It is whole on the disk afterwards. */
export async function createCluster(options: ClusterOptions): Promise<void> {
  const { binaries, account, directory, locale = BUILTIN_LOCALE, durable = true } = options;
  const maker = account && (await clusterMaker(account));
  await ensureDirectory(directory, PRIVATE, maker);
  const barrier = await barrierTo(directory, maker);
  if (barrier !== undefined && maker !== undefined && !hasDescriptorPaths) throw impassable(maker, barrier);
  const pgdata = barrier === undefined ? directory : WORKING_DIRECTORY;
  const run: Run = (program, args, input) => runAs(maker, options, program, args, input);
  await run(binaries.initdb, [
    `--pgdata=${pgdata}`,
    `--username=${SUPERUSER}`,
    '--encoding=UTF8',
    ...locale,
    '--data-checksums',
    '--no-instructions',
    // The server reads another file. Without that nobody may connect.
    '--auth-local=reject',
    '--auth-host=reject',
    ...(durable ? [] : ['--no-sync']),
  ]);
  const settings = ['exit_on_error=on', 'log_checkpoints=off', `fsync=${durable ? 'on' : 'off'}`];
  await run(
    binaries.postgres,
    ['--single', '-D', pgdata, ...settings.flatMap((setting) => ['-c', setting]), 'postgres'],
    // Single-user mode reads one statement a line.
    [
      `create role ${ROLE} login ${options.roleAttributes ?? ''} password '${options.password}'`,
      `grant pg_monitor, pg_checkpoint to ${ROLE}`,
      `create database ${DATABASE} owner ${ROLE}`,
    ].join('\n'),
  );
  if (account !== undefined && maker !== undefined && account.uid !== maker.uid)
    await handOver(directory, maker, account);
}

/** What initdb says when its user has no name, as that of `docker run --user 1234`. No option spares it the name. */
const NAMELESS = /could not look up effective user ID/;

type Run = (program: string, args: readonly string[], input?: string) => Promise<void>;

async function runAs(
  maker: Account | undefined,
  { directory, inherit = [] }: ClusterOptions,
  program: string,
  args: readonly string[],
  input = '',
): Promise<void> {
  const { file, args: all, options } = launcherFor(maker)(program, args, directory);
  const child = spawn(file, all, { ...options, stdio: ['pipe', 'pipe', 'pipe', ...inherit] });
  const [stdin, stdout, stderr] = child.stdio;
  if (stdin === null || stdout === null || stderr === null)
    throw new EmbeddedError(`${program} has no pipes`);
  const exited = new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'nothing'));
  });
  // A program that ends before it has read its input is judged by its exit code.
  stdin.on('error', () => undefined);
  stdin.end(input);
  const [code, output, errors] = await Promise.all([exited, text(stdout), text(stderr)]).catch(
    (error: unknown) => {
      throw new EmbeddedError(`${program} cannot be run: ${String(error)}`, { cause: error });
    },
  );
  if (NAMELESS.test(errors)) {
    throw new EmbeddedError(
      `PostgreSQL makes a new database only as a user with a name, and the user id ${process.getuid?.()} has none. ` +
        `Give it one in /etc/passwd, start this program as root or as a user with a name, or set SVC_DATABASE_URL.`,
    );
  }
  if (code !== 0) {
    throw new EmbeddedError(`${program} failed (${code}): ${`${errors}\n${output}`.trim()}`);
  }
}
