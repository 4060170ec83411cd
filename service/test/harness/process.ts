import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { waitFor } from '@svc/embedded-postgres/testing';
import { expect, vi } from 'vitest';
import { onFileEnd } from './cleanup.ts';
import { expectNoSecrets, secret } from './secrets.ts';

const SVCD = join(import.meta.dirname, '../../../svcd/src/svcd.ts');
const REFUSE_UNDECLARED = `--import=${new URL('../statements/refuse-undeclared.ts', import.meta.url).href}`;
/** A first start creates a database, which is slow on a busy machine. */
vi.setConfig({ testTimeout: 90_000 });

const ADDRESS = /^svc serves (http:\S+)$/m;

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A real `svcd` process. Its output is searched for secrets at the end of the test file. */
export interface SvcdProcess {
  readonly pid: number;
  readonly child: ChildProcess;
  /** All output so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when one of the streams has a match. Rejects if the process ends without a match. */
  readonly printed: (pattern: RegExp) => Promise<RegExpExecArray>;
  readonly ended: Promise<Exit>;
  /** Sends the signal (default SIGTERM) and waits for the end. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<Exit>;
}

/** A service that answers at `url`. */
export interface ServiceProcess extends SvcdProcess {
  readonly url: string;
}

export interface SvcdOptions {
  /** The settings. It gets no SVC_ variable of this process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** The test writes more to its standard input and ends it. */
  readonly openInput?: true;
  /** Whether it is the leader of a process group, as if a terminal had started it. Default: false. */
  readonly ownGroup?: boolean;
  /** For a command whose result on standard output is a secret, such as the demo's keys. */
  readonly resultIsSecret?: boolean;
  /** Another release's `svcd.ts`. Default: this one's. */
  readonly program?: string;
  /** The Node.js that runs it. Default: the one that runs this process. */
  readonly node?: string;
}

/** Starts `svcd` with these arguments. It is killed at the end of the test file if it still runs. */
export function spawnSvcd(args: readonly string[], options: SvcdOptions = {}): SvcdProcess {
  const { env = {}, input = '', program = SVCD, node = process.execPath } = options;
  for (const name of ['SVC_SECRET', 'SVC_OWNER_PASSWORD']) if (env[name]) secret(env[name]);
  // The statements of another release are not declared.
  const ours = program === SVCD ? [REFUSE_UNDECLARED] : [];
  const child = spawn(node, [program, ...args], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      ...env,
      NODE_OPTIONS: [...ours, env['NODE_OPTIONS'] ?? []].flat().join(' '),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: options.ownGroup === true,
  });
  child.stdin.on('error', () => undefined);
  if (options.openInput !== true) child.stdin.end(input);
  const output = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8');
    child[name].on('data', (text: string) => {
      output[name] += text;
      for (const look of [...waiting]) look();
    });
  }
  let open = true;
  const ended = once(child, 'close').then(([code, signal]): Exit => {
    open = false;
    for (const look of [...waiting]) look();
    return { code, signal };
  });
  const printed = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = pattern.exec(output.stdout) ?? pattern.exec(output.stderr);
        if (found !== null) resolve(found);
        else if (!open)
          reject(new Error(`svcd ended without ${pattern}:\n${output.stderr}\n${output.stdout}`));
        else return void waiting.add(look);
        waiting.delete(look);
      };
      look();
    });
  const stop = (signal: NodeJS.Signals = 'SIGTERM'): Promise<Exit> => {
    if (open) child.kill(signal);
    return ended;
  };
  const searched = (): string => `${options.resultIsSecret ? '' : output.stdout}\n${output.stderr}`;
  expectNoSecrets(`svcd ${args.join(' ')}`, searched);
  onFileEnd(async () => {
    await stop('SIGKILL');
    // Node.js warns of objects that get ever more listeners. For an operator, that is a false alarm or a leak.
    expect(output.stderr).not.toContain('MaxListenersExceededWarning');
  });
  return {
    pid: child.pid ?? 0,
    child,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    printed,
    ended,
    stop,
  };
}

/**
 * Interrupts a process repeatedly until it has ended. npm repeats a signal at once, so only a signal at least a second
 * later counts as the second one.
 */
export async function interrupt({ child, ended }: SvcdProcess): Promise<Exit | undefined> {
  let exit: Exit | undefined;
  void ended.then((value) => {
    exit = value;
  });
  await waitFor(
    () => {
      child.kill('SIGINT');
      expect(exit).toBeDefined();
    },
    { interval: 100 },
  );
  return exit;
}

/** Runs a command to its end. */
export async function runSvcd(
  args: readonly string[],
  options: SvcdOptions = {},
): Promise<Exit & { readonly stdout: string; readonly stderr: string }> {
  const command = spawnSvcd(args, options);
  const exit = await command.ended;
  return { ...exit, stdout: command.stdout(), stderr: command.stderr() };
}

/** A full disk; only Linux has this file. */
export const FULL_DISK = '/dev/full';

/** Runs a command whose standard output is a file on a full disk. */
export async function runSvcdOnFullDisk(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly stderr: string }> {
  const full = openSync(FULL_DISK, 'w');
  const child = spawn(process.execPath, [SVCD, ...args], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', full, 'pipe'],
  });
  closeSync(full);
  const [stderr, [code]] = await Promise.all([
    child.stderr === null ? '' : text(child.stderr),
    once(child, 'exit'),
  ]);
  return { code, stderr };
}

/** Starts a service on a free port and waits until it serves. Default: one worker of this release. */
export async function startSvcd(
  env: Readonly<Record<string, string>>,
  options: Pick<SvcdOptions, 'program' | 'node'> = {},
): Promise<ServiceProcess> {
  const service = spawnSvcd(['start'], {
    ...options,
    env: { SVC_PORT: '0', SVC_WORKERS: '1', SVC_LOG_LEVEL: 'debug', ...env },
  });
  const [, url = ''] = await service.printed(ADDRESS);
  return { ...service, url };
}
