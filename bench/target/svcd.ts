import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { peakMemoryMb } from '../measure/processes.ts';
import type { Installation } from './installation.ts';

/** A running `svcd start`. */
export interface RunningService {
  /** The primary process. */
  readonly pid: number;
  readonly origin: string;
  /** Ends it as an operator does, and waits for the end. */
  readonly stop: () => Promise<void>;
}

const ADDRESS = /^svc serves (http:\S+)$/m;
const MEMORY_INTERVAL_MS = 50;

/** Starts the service as users do: with its default settings and its log in a file. Waits until it serves. */
export async function startService(
  { program, folder, env }: Installation,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningService> {
  const log = await open(join(folder, 'service.log'), 'a');
  const child = endingWithThis(
    spawn(process.execPath, [program, 'start'], {
      env: { ...env, SVC_PORT: '0', ...settings },
      stdio: ['ignore', log.fd, 'pipe'],
    }),
  );
  await log.close();
  const exited = once(child, 'exit');
  const origin = await addressOf(child);
  child.stderr?.pipe(createWriteStream(join(folder, 'service.err'), { flags: 'a' }));
  return {
    pid: child.pid ?? 0,
    origin,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Ends a child with this process, however this process ends. */
function endingWithThis<Child extends ChildProcess>(child: Child): Child {
  const end = (): boolean => child.kill('SIGTERM');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  return child;
}

async function addressOf({ stderr }: ChildProcess): Promise<string> {
  let said = '';
  // The stream stays open, for what the service says later.
  for await (const chunk of stderr?.iterator({ destroyOnReturn: false }) ?? []) {
    said += chunk;
    const [, origin] = ADDRESS.exec(said) ?? [];
    if (origin !== undefined) return origin;
  }
  throw new Error(`svcd start ended:\n${said}`);
}

export interface CommandResult {
  readonly stdout: string;
  readonly peakMemoryMb: number;
}

/** Runs an `svcd` command to its end. Throws if it fails. */
export async function runSvcd(
  { program, env }: Installation,
  args: readonly string[],
  input: Iterable<string> = [],
): Promise<CommandResult> {
  const child = endingWithThis(spawn(process.execPath, [program, ...args], { env: { ...env } }));
  let memory = 0;
  const watching = setInterval(() => {
    memory = Math.max(memory, peakMemoryMb(child.pid ?? 0));
  }, MEMORY_INTERVAL_MS);
  try {
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
      // What is read ahead would not be paced by the command.
      pipeline(Readable.from(input, { highWaterMark: 1 }), child.stdin),
    ]);
    if (code !== 0) throw new Error(`svcd ${args.join(' ')} ended with ${code}:\n${stderr}`);
    return { stdout, peakMemoryMb: memory };
  } finally {
    clearInterval(watching);
  }
}
