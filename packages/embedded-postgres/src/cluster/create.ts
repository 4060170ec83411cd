import { type Account, clusterCreator } from '../account/account.ts';
import { barrierTo, hasDescriptorPaths, impassable, WORKING_DIRECTORY } from '../account/reach.ts';
import { runProgram } from '../account/run.ts';
import { ensureDirectory } from '../directory/files.ts';
import { EmbeddedError } from '../errors.ts';
import { handOver } from './hand-over.ts';
import type { Binaries } from './programs.ts';

/** The role that owns the service's database. It is not a superuser, because it is not one on an operator's own server. */
export const ROLE = 'svc';
/** The service's database. */
export const DATABASE = 'svc';
/** The cluster's superuser. It has no password, so it cannot log in. Only single-user mode uses it. */
const SUPERUSER = 'postgres';

const PRIVATE = 0o700;

/** Sorts by bytes, knows Unicode in lower() and upper(), and does not depend on the machine's locales. */
const BUILTIN_LOCALE = ['--no-locale', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'] as const;

type ClusterOptions = {
  readonly binaries: Binaries;
  /** The owner of the new cluster. Undefined: the current user. */
  readonly account: Account | undefined;
  /** An empty directory, or a path that does not exist. */
  readonly directory: string;
  /** The password of ROLE. Only letters, digits, `-` and `_`. */
  readonly password: string;
  /** Arguments of initdb. Default: BUILTIN_LOCALE, which needs PostgreSQL 17. */
  readonly locale?: readonly string[];
  /** False does not wait for the disk, for a throw-away cluster. Default: true. */
  readonly durable?: boolean;
  /** Descriptors that the programs inherit as 3, 4 and so on. */
  readonly inherit?: readonly number[];
  /** Attributes of ROLE beyond `login`. */
  readonly roleAttributes?: string;
};

/** Creates a cluster with the role and the database of the service. When it resolves, everything is on the disk. */
export async function createCluster(options: ClusterOptions): Promise<void> {
  const { binaries, account, directory, locale = BUILTIN_LOCALE, durable = true } = options;
  const creator = account && (await clusterCreator(account));
  await ensureDirectory(directory, PRIVATE, creator);
  const barrier = await barrierTo(directory, creator);
  if (barrier !== undefined && creator !== undefined && !hasDescriptorPaths)
    throw impassable(creator, barrier);
  const pgdata = barrier === undefined ? directory : WORKING_DIRECTORY;
  const run: Run = (program, args, input) => runAs(creator, options, program, args, input);
  await run(binaries.initdb, [
    `--pgdata=${pgdata}`,
    `--username=${SUPERUSER}`,
    '--encoding=UTF8',
    ...locale,
    '--data-checksums',
    '--no-instructions',
    // The server reads another pg_hba.conf. With this one, nobody can connect.
    '--auth-local=reject',
    '--auth-host=reject',
    ...(durable ? [] : ['--no-sync']),
  ]);
  const settings = ['exit_on_error=on', 'log_checkpoints=off', `fsync=${durable ? 'on' : 'off'}`];
  await run(
    binaries.postgres,
    ['--single', '-D', pgdata, ...settings.flatMap((setting) => ['-c', setting]), 'postgres'],
    // Single-user mode reads one statement per line.
    [
      `create role ${ROLE} login ${options.roleAttributes ?? ''} password '${options.password}'`,
      `grant pg_monitor, pg_checkpoint to ${ROLE}`,
      `create database ${DATABASE} owner ${ROLE}`,
    ].join('\n'),
  );
  if (account !== undefined && creator !== undefined && account.uid !== creator.uid)
    await handOver(directory, creator, account);
}

/**
 * The error of initdb if its user has no name, as with `docker run --user 1234`. initdb has no option to avoid it.
 */
const NAMELESS = /could not look up effective user ID/;

type Run = (program: string, args: readonly string[], input?: string) => Promise<void>;

async function runAs(
  creator: Account | undefined,
  { directory, inherit = [] }: ClusterOptions,
  program: string,
  args: readonly string[],
  input = '',
): Promise<void> {
  const { code, output, errors } = await runProgram(program, args, {
    account: creator,
    directory,
    input,
    inherit,
  });
  if (NAMELESS.test(errors)) {
    throw new EmbeddedError(
      `PostgreSQL can create a new database only as a user with a name, and the user id ${process.getuid?.()} has no name. ` +
        `Add the user to /etc/passwd, start this program as root or as a user with a name, or set SVC_DATABASE_URL.`,
    );
  }
  if (code !== 0) {
    throw new EmbeddedError(`${program} failed (${code}): ${`${errors}\n${output}`.trim()}`);
  }
}
