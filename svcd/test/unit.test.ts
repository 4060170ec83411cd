import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findProgram } from '../../tools/debian.ts';

const UNIT = join(import.meta.dirname, '../../deploy/svc.service');
/** In tenths: 100 is no protection. */
const EXPOSURE_MAX = '20';

const analyze = findProgram('/usr/bin/systemd-analyze', 'systemd');
if (analyze === undefined && process.env['CI'] !== undefined) throw new Error('systemd-analyze is missing');

// Only systems with systemd have systemd-analyze.
test.skipIf(analyze === undefined)(
  'systemd accepts the unit of the service, and rates it as protected',
  () => {
    const run = (...args: readonly string[]) => {
      const { status, stdout, stderr } = spawnSync(analyze ?? '', [...args, UNIT], { encoding: 'utf8' });
      return { status, stdout, stderr };
    };
    expect(run('verify', '--man=no')).toEqual({ status: 0, stdout: '', stderr: '' });
    const rating = run('security', '--offline=true', `--threshold=${EXPOSURE_MAX}`);
    expect(rating).toMatchObject({ status: 0, stderr: '' });
    expect(rating.stdout).toContain('Overall exposure level');
    // Of the system calls that set limits and priorities, only the one of scheduled backups.
    expect(rating.stdout).toContain('@resources is included (e.g. setpriority is allowed)');
  },
);
