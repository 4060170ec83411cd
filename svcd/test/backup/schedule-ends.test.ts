import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isProcessAlive, onFileEnd, waitFor } from '@svc/embedded-postgres/testing';
import { createTestDatabase } from '@svc/service/harness/database.ts';
import { startSvcd } from '@svc/service/harness/process.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { createLogTo } from '@svc/telemetry/log/log';
import { Registry } from 'prom-client';
import { describe, expect, test, vi } from 'vitest';
import { scheduleBackups } from '../../src/backup/schedule/schedule.ts';
import { FAILED, MADE, NAME, newDeployment } from './scheduled.ts';

vi.setConfig({ testTimeout: 120_000 });

/** The id of the process in which a service makes a backup. */
async function backupOf(pid: number): Promise<number> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ');
  for (const child of children)
    if ((await readFile(`/proc/${child}/cmdline`, 'utf8')).includes('--scheduled')) return Number(child);
  throw new Error('no backup runs');
}

/** Makes the messages of the backup's process end only with another one, as if the process itself could not be ended. */
const STUCK = `
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
if (process.argv.includes('--scheduled')) {
  const child = spawn('sleep', ['600'], { detached: true, stdio: ['ignore', 'ignore', 'inherit'] });
  child.unref();
  writeFileSync(process.env.STUCK_FILE, String(child.pid));
}`;

/** Settings with which no process of a backup can be ended, until `release`. */
async function stuck() {
  const file = join(await temporaryDirectory(), 'pid');
  const release = async () => {
    const pid = Number(await readFile(file, 'utf8').catch(() => ''));
    if (pid > 0) process.kill(pid, 'SIGKILL');
    await rm(file, { force: true });
  };
  onFileEnd(release);
  const options = `--import=data:text/javascript,${encodeURIComponent(STUCK)}`;
  return { release, env: { NODE_OPTIONS: options, STUCK_FILE: file } };
}

describe('a service that stops', () => {
  // Only Linux lists the children of a process.
  test.runIf(process.platform === 'linux')(
    'closes its port at once, also if its backup does not respond, and ends that',
    async () => {
      const { env, hold, held } = await newDeployment(await createTestDatabase());
      const release = await hold();
      const service = await startSvcd(env);
      await held();
      const backup = await backupOf(service.pid);
      process.kill(backup, 'SIGSTOP');
      const stopped = service.stop();
      await waitFor(() => expect(fetch(`${service.url}/healthz`)).rejects.toThrow('fetch failed'));
      expect(isProcessAlive(backup)).toBe(true);
      expect(await stopped).toEqual({ code: 0, signal: null });
      await waitFor(() => expect(isProcessAlive(backup)).toBe(false));
      await release();
    },
  );

  test('ends also if it cannot see the end of the process of its backup', async () => {
    const { env, hold, held } = await newDeployment(await createTestDatabase());
    const release = await hold();
    const service = await startSvcd({ ...env, ...(await stuck()).env });
    await held();
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    await release();
  });
});

/** Makes backups that may take a short time only, of which only this process knows. */
async function scheduleWithin(limitMs: number, env: Readonly<Record<string, string>>, directory: string) {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  let lines = '';
  const write = (line: string): void => {
    lines += line;
  };
  const log = createLogTo({ write }, 'info');
  const schedule = scheduleBackups({
    settings: { directory, everyMs: 3_600_000, keep: 7 },
    limitMs,
    log,
    registry: new Registry(),
  });
  onFileEnd(schedule.stop);
  return { ...schedule, logged: (text: RegExp) => waitFor(() => expect(lines).toMatch(text)) };
}

test('a backup that takes too long is ended, and leaves nothing', async () => {
  const { env, directory, files, hold } = await newDeployment(await createTestDatabase());
  const release = await hold();
  const { logged, stop } = await scheduleWithin(2_000, env, directory);
  await logged(/the scheduled backup failed: it was not complete after 0 hours, and was ended/);
  await stop();
  await release();
  expect(await files()).toEqual([]);
});

/** Makes the process of a backup ignore SIGTERM. */
const DEAF = `
if (process.argv.includes('--scheduled')) {
  const { on, once } = process;
  process.on = (name, ...rest) => (name === 'SIGTERM' ? process : on.call(process, name, ...rest));
  process.once = (name, ...rest) => (name === 'SIGTERM' ? process : once.call(process, name, ...rest));
  on.call(process, 'SIGTERM', () => undefined);
}`;
const IGNORES_SIGTERM = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(DEAF)}` };

// Only Linux lists the children of a process.
describe.runIf(process.platform === 'linux')('a backup that does not end', () => {
  test.each([
    ['ignores SIGTERM', IGNORES_SIGTERM, () => undefined],
    ['is frozen', {}, (pid: number) => process.kill(pid, 'SIGSTOP')],
  ])('because its process %s is killed, and the next one is made', async (_, settings, disturb) => {
    const { env, directory, files, hold, held } = await newDeployment(await createTestDatabase());
    const release = await hold();
    const { logged, stop } = await scheduleWithin(10_000, { ...env, ...settings }, directory);
    await held();
    const backup = await backupOf(process.pid);
    disturb(backup);
    await logged(/it was not complete after 0 hours, and was ended/);
    expect(isProcessAlive(backup)).toBe(false);
    await release();
    await logged(MADE);
    await stop();
    expect(await files()).toEqual([expect.stringMatching(NAME)]);
  });

  test('because its process ignores SIGTERM holds up the end of the service by seconds only', async () => {
    const { env, hold, held } = await newDeployment(await createTestDatabase());
    const release = await hold();
    const service = await startSvcd({ ...env, ...IGNORES_SIGTERM });
    await held();
    const backup = await backupOf(service.pid);
    const startMs = performance.now();
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(performance.now() - startMs).toBeLessThan(15_000);
    expect(isProcessAlive(backup)).toBe(false);
    await release();
  });
});

test('an error of the database that names a file is not taken for one of the directory', async () => {
  const { env, directory } = await newDeployment(await createTestDatabase());
  const socket = `postgres://svc@/svc?host=${encodeURIComponent(join(directory, 'none'))}`;
  const { stop, logged } = await scheduleWithin(60_000, { ...env, SVC_DATABASE_URL: socket }, directory);
  await logged(/the database does not answer: connect ENOENT \S+\. svcd doctor checks the database and the/);
  await stop();
});

test('while the end of the process of a backup is not seen, no other one is started', async () => {
  const { env, directory, hold } = await newDeployment(await createTestDatabase());
  const held = await hold();
  const { release, env: stuckEnv } = await stuck();
  const { logged, stop } = await scheduleWithin(2_000, { ...env, ...stuckEnv }, directory);
  await logged(FAILED);
  await logged(/its process could not be ended.*\n.*the process of an earlier one still runs/);
  await release();
  await stop();
  await held();
});
