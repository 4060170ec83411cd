import { hasCode } from '../../src/errors.ts';

/** Whether there is a process with this id, of any user. A zombie counts. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasCode(error, 'ESRCH');
  }
}
