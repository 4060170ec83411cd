import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { onFileEnd } from '../harness/cleanup.ts';
import { POSTGRESQL_15 } from '../harness/postgres/external-15.ts';

/** The programs of the proof, and the Debian packages that have them. */
const PROGRAMS = {
  patroni: ['/usr/bin/patroni', 'patroni'],
  etcd: ['/usr/bin/etcd', 'etcd-server'],
  haproxy: ['/usr/sbin/haproxy', 'haproxy'],
  postgres: [`${POSTGRESQL_15}/postgres`, 'postgresql-15'],
} as const;

/** The packages that are missing here. */
export const missingPackages = (): readonly string[] =>
  Object.values(PROGRAMS).flatMap(([path, name]) => (existsSync(path) ? [] : [name]));

/** The user of the servers, because PostgreSQL does not run as root. Undefined: the current user. */
function ordinaryUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  // The packages of PostgreSQL create it.
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  if (uid === undefined || gid === undefined) throw new Error('there is no user postgres');
  return { uid: Number(uid), gid: Number(gid) };
}

export const USER = missingPackages().length === 0 ? ordinaryUser() : undefined;

/** Starts a program as an ordinary user, with its output in a file. It is killed at the end of the test file. */
export function startProgram(
  name: keyof typeof PROGRAMS,
  args: readonly string[],
  { logFile, directory }: { readonly logFile: string; readonly directory: string },
): ChildProcess & { readonly pid: number } {
  const output = openSync(logFile, 'a', 0o644);
  const child = spawn(PROGRAMS[name][0], args, {
    cwd: directory,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: directory, LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', output, output],
    ...USER,
  });
  closeSync(output);
  if (child.pid === undefined) throw new Error(`${name} cannot be started`);
  onFileEnd(() => endProgram(child));
  return child as ChildProcess & { readonly pid: number };
}

/** Kills a program, and waits for its end. */
export async function endProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
