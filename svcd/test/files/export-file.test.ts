import { randomBytes } from 'node:crypto';
import { readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase } from '@svc/service/harness/database.ts';
import { auditOf, exportText, importText, ndjson, workspaceWith } from '@svc/service/harness/import.ts';
import { runSvcd, type SvcdProcess, spawnSvcd } from '@svc/service/harness/process.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { expect, test } from 'vitest';

const database = await createTestDatabase();
const { pool } = database;
const env = { SVC_DATABASE_URL: database.url, SVC_SECRET: randomBytes(32).toString('base64url') };
const workspace = await workspaceWith(pool, 'c1');
await importText(pool, workspace, 'audits', ndjson([auditOf('a'), auditOf('b')]));
const expected = await exportText(pool, workspace, 'audits');

const argumentsOf = (file: string): readonly string[] => [
  'export',
  'audits',
  file,
  '--format',
  'ndjson',
  '--workspace',
  workspace,
];

/** Runs `work` while so many exports, which it gets, wait for the records. */
async function whileWaiting(
  count: number,
  file: string,
  work: (exports: readonly SvcdProcess[]) => Promise<void>,
): Promise<void> {
  const holder = await pool.connect();
  try {
    await holder.query('begin; set local idle_in_transaction_session_timeout = 0');
    await holder.query('lock table audits in access exclusive mode');
    const exports = Array.from({ length: count }, () => spawnSvcd(argumentsOf(file), { env }));
    const waiting = async (): Promise<number | null> => {
      const { rowCount } = await pool.query(
        `select from pg_stat_activity where datname = current_database() and application_name = 'svcd export'
         and wait_event_type = 'Lock'`,
      );
      return rowCount;
    };
    await expect.poll(waiting).toBe(count);
    await work(exports);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
}

test('reports of imports and exports count the resource in the singular or plural', async () => {
  const ws = await workspaceWith(pool, 'c1');
  const file = join(await temporaryDirectory(), 'content.ndjson');
  const svcd = (command: string, name: string, ...flags: readonly string[]) =>
    runSvcd([command, 'content', name, '--format', 'ndjson', '--workspace', ws, ...flags], { env });
  for (const [ids, count] of [
    [['a'], '1 content item'],
    [['a', 'b'], '2 content items'],
  ] as const) {
    await writeFile(file, ndjson(ids.map((id) => ({ id, companyId: 'c1', title: 'T' }))));
    expect((await svcd('import', file, '--dry-run')).stdout).toContain(
      '\n1 content item would be imported.\n',
    );
    expect((await svcd('import', file)).stdout).toContain('1 content item imported in ');
    expect((await svcd('import', file)).stdout).toMatch(
      new RegExp(`^0 content items imported in .*\n${count} already existed, unchanged\\.`),
    );
    expect((await svcd('export', `${file}.out`)).stderr).toBe(`Wrote ${count} to ${file}.out.\n`);
  }
});

test('an export replaces the file behind a link, and no other file', async () => {
  const folder = await temporaryDirectory();
  const file = join(folder, 'a.ndjson');
  await writeFile(file, 'old');
  await writeFile(join(folder, 'latest.partial'), 'mine');
  await symlink(file, join(folder, 'latest'));
  const { code, stderr } = await runSvcd(argumentsOf(join(folder, 'latest')), { env });
  expect([code, stderr]).toEqual([0, `Wrote 2 audits to ${join(folder, 'latest')}.\n`]);
  expect(await readFile(file, 'utf8')).toBe(expected);
  expect((await stat(file)).mode & 0o777).toBe(0o666 & ~process.umask());
  expect(await readlink(join(folder, 'latest'))).toBe(file);
  expect(await readFile(join(folder, 'latest.partial'), 'utf8')).toBe('mine');
  expect((await readdir(folder)).sort()).toEqual(['a.ndjson', 'latest', 'latest.partial']);
});

test('an export without a file writes NDJSON to standard output', async () => {
  const { code, stdout } = await runSvcd(['export', 'audits', '--workspace', workspace], { env });
  expect([code, stdout]).toEqual([0, expected]);
});

test('an export to a device or a pipe is refused, and the device stays', async () => {
  const folder = await temporaryDirectory();
  for (const device of ['null', 'stdout']) {
    // Through a link: without this promise, the export would replace the link, and not the device of this machine.
    const link = join(folder, device);
    await symlink(`/dev/${device}`, link);
    const { code, stdout, stderr } = await runSvcd(argumentsOf(link), { env });
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      `svcd: ${link} is not a file. For a pipe or a device, write to standard output: -\n`,
    ]);
    expect(await readlink(link)).toBe(`/dev/${device}`);
  }
});

test('exports to the same file at the same time all succeed, and the file is complete', async () => {
  const folder = await temporaryDirectory();
  const file = join(folder, 'a.ndjson');
  let running: readonly SvcdProcess[] = [];
  await whileWaiting(2, file, async (exports) => {
    running = exports;
  });
  for (const { ended, stderr } of running)
    expect([await ended, stderr()]).toEqual([{ code: 0, signal: null }, `Wrote 2 audits to ${file}.\n`]);
  expect(await readFile(file, 'utf8')).toBe(expected);
  expect(await readdir(folder)).toEqual(['a.ndjson']);
});

test('an export that a signal ends leaves no file', async () => {
  const folder = await temporaryDirectory();
  await whileWaiting(1, join(folder, 'a.ndjson'), async ([waiting]) => {
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^a\.ndjson\.partial-/)]);
    expect(await waiting?.stop('SIGTERM')).toEqual({ code: 143, signal: null });
    expect(await readdir(folder)).toEqual([]);
  });
});
