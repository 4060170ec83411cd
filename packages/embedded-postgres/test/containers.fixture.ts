import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

// Commands that run a process as in a container: with its own process ids and shared memory, on the same files.

const NAMESPACES = ['--pid', '--ipc', '--mount', '--fork', '--mount-proc', '--kill-child'] as const;

/** The process is the first of its container. The container ends with it. */
export const CONTAINER = ['unshare', ...NAMESPACES] as const;

/** The container has its own init process, which goes on when the process is killed. */
export const CONTAINER_WITH_INIT = [
  ...CONTAINER,
  'sh',
  '-c',
  'exec 3<&0; "$0" "$@" <&3 & wait; exec sleep 600',
] as const;

/** Skips the test if this machine does not allow new namespaces. */
export async function requireContainers(skip: (note: string) => never): Promise<void> {
  try {
    await promisify(execFile)('unshare', [...NAMESPACES, 'true']);
  } catch (error) {
    skip(`no namespaces can be made here: ${String(error).split('\n').at(0)}`);
  }
}
