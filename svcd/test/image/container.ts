import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onFileEnd } from '@svc/service/harness/cleanup.ts';
import { type Exit, type ServiceProcess, spawnSvcd } from '@svc/service/harness/process.ts';
import type { Image } from './build.ts';

const ENTER = join(import.meta.dirname, 'enter.sh');
const ADDRESS = /^svc serves (http:\S+)$/m;
/** What a start prints at the end, after the set-up link. */
const LAST_LINE = /^stop /m;

/** A service in a container. Its root file system is read-only. */
export interface Container extends Pick<ServiceProcess, 'url' | 'stderr' | 'ended'> {
  /** Sends a signal to process 1 of the container, and waits for the end. */
  readonly signal: (signal: NodeJS.Signals) => Promise<Exit>;
  /** Runs a command in the running container, as `docker exec` does. Returns its standard output; throws if it fails. */
  readonly exec: (command: readonly string[], input?: string) => string;
  /** The processes of the container: state (`Z` for one that nobody waits for) and name. */
  readonly processes: () => readonly {
    readonly pid: number;
    readonly state: string;
    readonly name: string;
  }[];
}

/** Starts the image with its entry point and settings, and further settings. Resolves when it serves. */
export async function startContainer(
  { root, config }: Pick<Image, 'root' | 'config'>,
  volume: string,
  settings: Readonly<Record<string, string>>,
): Promise<Container> {
  const env = [...config.Env, ...Object.entries(settings).map(([name, value]) => `${name}=${value}`)];
  const inImage = ['/usr/bin/env', '-i', `--chdir=${config.WorkingDir}`, ...env];
  const args = [root, volume, config.User, ...inImage, ...config.Entrypoint, ...config.Cmd];
  const svcd = spawnSvcd(args, { node: '/bin/bash', program: ENTER });
  await svcd.printed(LAST_LINE);
  const [, url = ''] = ADDRESS.exec(svcd.stderr()) ?? [];
  const children = readFileSync(`/proc/${svcd.pid}/task/${svcd.pid}/children`, 'utf8');
  const first = Number.parseInt(children, 10);
  // unshare does not end its child when it is killed itself, because the child has changed its user.
  onFileEnd(async () => {
    if (existsSync(`/proc/${svcd.pid}`)) process.kill(first, 'SIGKILL');
    await svcd.ended;
  });
  const namespaces = ['--target', String(first), '--mount', '--pid', '--root'];
  const user = ['/usr/bin/setpriv', `--reuid=${config.User}`, `--regid=${config.User}`, '--clear-groups'];
  return {
    url,
    stderr: svcd.stderr,
    ended: svcd.ended,
    signal: (signal) => {
      process.kill(first, signal);
      return svcd.ended;
    },
    exec: (command, input = '') =>
      execFileSync('nsenter', [...namespaces, '--', ...user, ...inImage, ...command], {
        input,
        encoding: 'utf8',
        stdio: 'pipe',
      }),
    processes: () => processesOf(first),
  };
}

/** All processes that have the same process 1. */
function processesOf(first: number): ReturnType<Container['processes']> {
  const namespace = (pid: number): string =>
    execFileSync('readlink', [`/proc/${pid}/ns/pid`], { encoding: 'utf8' });
  const own = namespace(first);
  return globSync('/proc/[0-9]*/stat').flatMap((file) => {
    try {
      const [, pid = '', name = '', state = ''] =
        /^(\d+) \((.*)\) (\w)/.exec(readFileSync(file, 'utf8')) ?? [];
      return namespace(Number(pid)) === own ? [{ pid: Number(pid), name, state }] : [];
    } catch {
      // It has ended.
      return [];
    }
  });
}
