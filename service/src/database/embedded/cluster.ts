import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Binaries } from './binaries.ts';
import { EmbeddedError } from './error.ts';
import type { Launcher } from './launcher.ts';

/** The role that owns the service's database; it is no superuser, as it would not be on an operator's server. */
export const ROLE = 'svc';
/** The service's database. */
export const DATABASE = 'svc';
/** The cluster's superuser. It has no password and therefore cannot log in: single-user mode is its only door. */
const SUPERUSER = 'postgres';

/** Byte order everywhere, full Unicode for lower() and upper(), and no dependence on the machine's locales. */
export const BUILTIN_LOCALE = [
  '--no-locale',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
] as const;

export type ClusterOptions = {
  readonly binaries: Binaries;
  readonly launcher: Launcher;
  /** An empty directory of mode 0700 that belongs to the account that the launcher runs as. */
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
  const { binaries, directory, locale = BUILTIN_LOCALE, durable = true } = options;
  await run(options, binaries.initdb, [
    `--pgdata=${directory}`,
    `--username=${SUPERUSER}`,
    '--encoding=UTF8',
    ...locale,
    '--data-checksums',
    '--no-instructions',
    // For the moment of the bootstrap; no server runs before pg_hba.conf is replaced.
    '--auth=trust',
    ...(durable ? [] : ['--no-sync']),
  ]);
  // Truncates the file that initdb made, so it keeps its owner.
  await writeFile(join(directory, 'pg_hba.conf'), 'local all all scram-sha-256\n', { flush: durable });
  const settings = ['exit_on_error=on', 'log_checkpoints=off', `fsync=${durable ? 'on' : 'off'}`];
  await run(
    options,
    binaries.postgres,
    ['--single', '-D', directory, ...settings.flatMap((setting) => ['-c', setting]), 'postgres'],
    // Single-user mode reads one statement a line.
    [
      `create role ${ROLE} login ${options.roleAttributes ?? ''} password '${options.password}'`,
      `grant pg_monitor, pg_checkpoint to ${ROLE}`,
      `create database ${DATABASE} owner ${ROLE}`,
    ].join('\n'),
  );
}

async function run(
  { launcher, inherit = [] }: ClusterOptions,
  program: string,
  args: readonly string[],
  input = '',
): Promise<void> {
  const { file, args: all, options } = launcher(program, args);
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
  if (code !== 0) {
    throw new EmbeddedError(`${program} failed (${code}): ${`${errors}\n${output}`.trim()}`);
  }
}
