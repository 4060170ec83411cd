import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The user ids that have a process now. */
export async function usersWithProcesses(): Promise<ReadonlySet<number>> {
  if (process.platform !== 'linux') {
    const { stdout } = await promisify(execFile)('ps', ['-axo', 'uid=']);
    return new Set(stdout.trim().split('\n').map(Number));
  }
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  // One that has ended meanwhile has no status.
  const statuses = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')),
  );
  return new Set(
    statuses.flatMap((status) => {
      const [, ids = ''] = /^Uid:\t(.*)$/m.exec(status) ?? [];
      return ids.split('\t').filter(Boolean).map(Number);
    }),
  );
}
