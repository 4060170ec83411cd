import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findEmbedded } from '@svc/embedded-postgres';
import { waitFor } from '@svc/embedded-postgres/testing';
import { runSvcd, runSvcdOnFullDisk, spawnSvcd } from '@svc/service/harness/process.ts';
import {
  connectEmbedded,
  type RunningService,
  startRunningService,
} from '@svc/service/harness/running-service.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { bash, dataDirOf, expectDone, exportOf, newDataDir, quietWorkspace } from './support.ts';

const TIMEOUT_MS = 120_000;
vi.setConfig({ testTimeout: TIMEOUT_MS });
const AUDITS = 10_000;

let running: RunningService;
let file: string;
/** Of a workspace that nobody writes to. */
let quiet: { readonly workspaceId: string; readonly exported: string };

beforeAll(async () => {
  running = await startRunningService();
  const workspaceId = await quietWorkspace(running.env, AUDITS);
  quiet = { workspaceId, exported: await exportOf(running.env, workspaceId) };
  file = join(await temporaryDirectory(), 'whole.backup');
  await expectDone(runSvcd(['backup', file], { env: running.env }));
}, TIMEOUT_MS);

describe('a backup that waits for a lock', () => {
  test.each([
    ['SIGKILL', null, 1],
    ['SIGTERM', 143, 0],
  ] as const)('ends at once with %s', async (signal, code, partial) => {
    const client = await connectEmbedded(dataDirOf(running.env));
    // A transaction sees the same sessions until its end.
    const watcher = await connectEmbedded(dataDirOf(running.env));
    await client.query('begin; lock table imports in access exclusive mode');
    const target = await temporaryDirectory();
    const backup = spawnSvcd(['backup', join(target, 'a.backup')], { env: running.env });
    const sessions = async () =>
      (
        await watcher.query(
          `select 1 from pg_stat_activity where application_name = 'svcd backup' and wait_event_type = 'Lock'`,
        )
      ).rowCount;
    await waitFor(async () => expect(await sessions()).toBe(1));
    expect(await backup.stop(signal)).toMatchObject({ code });
    expect((await readdir(target)).map((name) => name.replace(/-.*/, ''))).toEqual(
      partial === 1 ? ['a.backup.partial'] : [],
    );
    await client.query('rollback');
    await waitFor(async () => expect(await sessions()).toBe(0));
    await expectDone(runSvcd(['backup', join(target, 'a.backup')], { env: running.env }));
  });
});

test('a restore that is killed leaves an empty database, into which the backup is restored later', async () => {
  const env = await newDataDir();
  const restore = spawnSvcd(['restore', '-'], { env, openInput: true });
  const bytes = await readFile(file);
  restore.child.stdin?.write(bytes.subarray(0, bytes.length - 1000));
  const client = await waitFor(() => connectEmbedded(dataDirOf(env)));
  // The restore waits for the rest of its input.
  await waitFor(async () => {
    const { rows } = await client.query(
      `select from pg_stat_activity where application_name = 'svcd restore' and state <> 'idle' and wait_event = 'ClientRead'
       and query like 'copy%'`,
    );
    expect(rows).toHaveLength(1);
  });
  await restore.stop('SIGKILL');
  await waitFor(async () => {
    const { rows } = await client.query(
      `select from pg_stat_activity where application_name = 'svcd restore'`,
    );
    expect(rows).toEqual([]);
  });
  const { rows } = await client.query(`select from pg_class where relnamespace = 'public'::regnamespace`);
  expect(rows).toEqual([]);
  await client.end();
  await expectDone(runSvcd(['restore', file], { env }));
  expect(await exportOf(env, quiet.workspaceId)).toBe(quiet.exported);
});

test('a full disk is a failure', async () => {
  expect(await runSvcdOnFullDisk(['backup'], running.env)).toEqual({
    code: 1,
    stderr: expect.stringContaining('standard output cannot be written: ENOSPC'),
  });
});

test('a file that cannot take the last byte of the output is a failure', async () => {
  const out = join(await temporaryDirectory(), 'out');
  // Without the cache, svcd writes no other file.
  const env = { ...running.env, NODE_DISABLE_COMPILE_CACHE: '1' };
  const failed = {
    code: 1,
    stderr: expect.stringMatching(/^svcd: standard output cannot be written: EFBIG: .*\n$/),
  };
  for (const command of [`export audits --workspace ${quiet.workspaceId}`, '--help']) {
    const { stdout } = await bash(`svcd ${command}`, env);
    // The limit is in kB.
    const limit = Math.ceil(Buffer.byteLength(stdout) / 1024);
    const earlier = '-'.repeat(limit * 1024 - Buffer.byteLength(stdout));
    await writeFile(out, `${earlier}-`);
    expect(await bash(`ulimit -f ${limit}; svcd ${command} >> ${out}`, env)).toMatchObject(failed);
    await writeFile(out, earlier);
    expect(await bash(`ulimit -f ${limit}; svcd ${command} >> ${out}`, env)).toMatchObject({ code: 0 });
    expect(await readFile(out, 'utf8')).toBe(`${earlier}${stdout}`);
  }
  expect(await bash(`ulimit -f 1; svcd backup > ${out}`, env)).toMatchObject(failed);
});

test('the server of a verification that is killed is removed by the next one', async () => {
  const folder = await temporaryDirectory();
  const args = ['backup', join(folder, 'a.backup'), '--verify'];
  const killed = spawnSvcd(args, { env: running.env });
  const scratch = await waitFor(async () => {
    const name = (await readdir(folder)).find((entry) => entry.startsWith('.svc-verify-'));
    expect(await findEmbedded(join(folder, name ?? ''))).toBeDefined();
    return join(folder, name ?? '');
  });
  const pidFile = join(scratch, 'postgres/postmaster.pid');
  const [pid = ''] = (await readFile(pidFile, 'utf8')).split('\n');
  await killed.stop('SIGKILL');
  process.kill(Number(pid), 0);
  // As if it had happened a while ago. An unrelated directory of this name, which is younger, stays.
  await utimes(scratch, new Date(0), new Date(0));
  await mkdir(join(folder, '.svc-verify-young'));

  await expectDone(runSvcd(args, { env: running.env }));
  expect((await readdir(folder)).filter((name) => !name.includes('.partial-')).sort()).toEqual([
    '.svc-verify-young',
    'a.backup',
  ]);
  expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
});
