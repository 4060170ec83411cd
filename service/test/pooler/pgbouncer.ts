import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tooOld } from '@svc/postgres-sessions';
import { findProgram } from '../../../tools/debian.ts';
import { freePort } from '../../src/server/listen.ts';
import { onFileEnd } from '../harness/cleanup.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

const versionOf = (program: string): string => {
  const text = execFileSync(program, ['--version'], { encoding: 'utf8' });
  return text.split('\n', 1)[0] ?? '';
};

/** The one in the variable PGBOUNCER, and that of Debian. Debian 12 has 1.18, which is too old for the service. */
const programs = [process.env['PGBOUNCER'], findProgram('/usr/sbin/pgbouncer', 'pgbouncer')].filter(
  (path) => path !== undefined,
);
const isOld = (program: string): boolean => tooOld(versionOf(program));

/** A PgBouncer older than 1.21. Undefined: none is installed. */
export const OLD_PGBOUNCER = programs.find(isOld);
/** A PgBouncer that the service supports. Undefined: none is here. */
export const PGBOUNCER = programs.find((program) => !isOld(program));

/** A running PgBouncer. */
export interface PgBouncerProcess {
  /** The URL of the database through it. */
  readonly url: string;
  /** Ends it without a warning. */
  kill(): Promise<void>;
  /** Starts it again on the same port, after `kill`. */
  start(): Promise<void>;
  /** Reads its file of settings again. */
  reload(): void;
}

/** Starts PgBouncer in transaction mode in front of a database. It ends with the test file. */
export async function startPgBouncer(
  program: string,
  databaseUrl: string,
  settings: Readonly<Record<string, string | number>> = {},
): Promise<PgBouncerProcess> {
  const [, role = '', password = '', database = '', host = ''] =
    /^postgres:\/\/([^:]*):([^@]*)@\/([^?]*)\?host=(.*)$/.exec(databaseUrl) ?? [];
  const port = await freePort('127.0.0.1');
  const directory = await temporaryDirectory();
  const { uid, gid } = statSync(host);
  const write = (name: string, text: string): string => {
    const path = join(directory, name);
    writeFileSync(path, text);
    chownSync(path, uid, gid);
    return path;
  };
  chmodSync(directory, 0o755);
  const users = write('users', `"${role}" "${password}"\n`);
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'plain',
    auth_file: users,
    pool_mode: 'transaction',
    stats_users: role,
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
  const file = write(
    'pgbouncer.ini',
    `[databases]\n${database} = host=${host} dbname=${database} user=${role} password=${password}\n` +
      `[pgbouncer]\n${lines.join('\n')}\n`,
  );
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    // PgBouncer refuses to run as root. The folder of the socket belongs to the user of the server.
    const user = process.getuid?.() === 0 ? { uid, gid } : {};
    const started = spawn(program, [file], { ...user, stdio: ['ignore', 'ignore', 'pipe'] });
    child = started;
    let log = '';
    const up = new Promise<void>((resolve, reject) => {
      started.stderr.setEncoding('utf8').on('data', (text: string) => {
        log += text;
        if (log.includes('process up')) resolve();
      });
      started.once('exit', () => reject(new Error(`PgBouncer ended:\n${log}`)));
    });
    await up;
  };
  const kill = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  await start();
  onFileEnd(kill);
  return {
    url: `postgres://${role}:${password}@127.0.0.1:${port}/${database}`,
    kill,
    start,
    reload: () => void child?.kill('SIGHUP'),
  };
}
