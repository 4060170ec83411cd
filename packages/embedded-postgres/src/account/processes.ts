import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

// Processes are read from /proc on Linux, as small images have no `ps`. On macOS they are read from `ps`.

const isLinux = process.platform === 'linux';

/** The ids of the users that have a process now. */
export async function usersWithProcesses(): Promise<ReadonlySet<number>> {
  if (!isLinux) return new Set((await ps('-axo', 'uid=')).trim().split('\n').map(Number));
  const statuses = await readAllProcesses('status');
  return new Set(
    statuses.flatMap((status) => {
      const [, ids = ''] = /^Uid:\t(.*)$/m.exec(status) ?? [];
      return ids.split('\t').filter(Boolean).map(Number);
    }),
  );
}

/** The command lines of all processes, each starting with its program. */
export async function commandLines(): Promise<readonly string[]> {
  return isLinux ? readAllProcesses('cmdline') : (await ps('-axww', '-o', 'command=')).split('\n');
}

/** The words of a process's command line, separated by spaces. Empty when there is no such process. */
export async function commandLine(pid: number): Promise<string> {
  if (isLinux) return (await readProcess(pid, 'cmdline')).replaceAll('\0', ' ');
  return ps('-ww', '-o', 'command=', '-p', String(pid)).then(
    (output) => output.trim(),
    () => '',
  );
}

/** Not `cwd` or `exe`: in a container even root may not read those of another user. */
type ProcessFile = 'cmdline' | 'status';

async function readAllProcesses(file: ProcessFile): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(pids.map((pid) => readProcess(pid, file)));
}

/** A file of a process in /proc. Empty when the process has ended. */
async function readProcess(pid: number | string, file: ProcessFile): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
}

async function ps(...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)('ps', args)).stdout;
}
