import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SVCD = fileURLToPath(new URL('../../svcd/src/svcd.ts', import.meta.url));

/** The part of the output of `svcd demo --json` that the pictures need. */
interface DemoData {
  readonly url: string;
  readonly signInLink: string;
  readonly workspaceId: string;
  readonly liveKey: string;
  readonly testKey: string;
}

export interface Demo extends DemoData {
  /** Invites a new person. */
  invite(): Promise<{ readonly email: string; readonly link: string }>;
}

export interface RunningDemo extends DemoData {
  stop(): Promise<void>;
}

/** Starts the demo in this data directory, and waits until it is ready. */
export async function startDemo(dataDirectory: string): Promise<RunningDemo> {
  const child = spawn(process.execPath, [SVCD, 'demo', '--json'], {
    env: { ...process.env, SVC_DATA_DIR: dataDirectory },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const demo = await firstLine(child);
  return {
    ...demo,
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function firstLine(child: ChildProcess): Promise<DemoData> {
  if (child.stdout === null) throw new Error('the demo has no standard output');
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line) as DemoData;
  throw new Error('the demo ended before it was ready');
}
