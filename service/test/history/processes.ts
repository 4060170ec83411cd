import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { isProcessAlive } from '@svc/embedded-postgres/testing';
import { elapsed } from '../harness/postgres/proxy.ts';

const POLL_MS = 10;

/** The processes that this process has started, and their child processes. */
export async function descendantsOf(pid: number): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
  const children = new Map<number, number[]>();
  for (const line of stdout.trim().split('\n')) {
    const [child = 0, parent = 0] = line.trim().split(/\s+/).map(Number);
    children.set(parent, [...(children.get(parent) ?? []), child]);
  }
  const found: number[] = [];
  const queue = [...(children.get(pid) ?? [])];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    found.push(next);
    queue.push(...(children.get(next) ?? []));
  }
  return found;
}

/** Resolves when all of these processes have ended. */
export async function untilEnded(pids: readonly number[]): Promise<void> {
  while (pids.some(isProcessAlive)) await elapsed(POLL_MS);
}

/** Sends a signal to each process. Skips processes that have ended meanwhile. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
