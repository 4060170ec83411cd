import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase } from '@svc/service/harness/database.ts';
import { auditOf, idsIn, ndjson, workspaceWith } from '@svc/service/harness/import.ts';
import { interrupt, runSvcd, spawnSvcd } from '@svc/service/harness/process.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { describe, expect, test } from 'vitest';

const database = await createTestDatabase();
const { pool } = database;
const directory = await temporaryDirectory();
const env = { SVC_DATABASE_URL: database.url, SVC_SECRET: randomBytes(32).toString('base64url') };
const workspace = await workspaceWith(pool, 'c1');
const audit = ndjson([auditOf('a')]);

/** Before its end, the process collects what is no longer used, and reports errors of it in the next turn. */
const COLLECT = "process.once('beforeExit',()=>{gc();setImmediate(()=>{})})";
const NODE_OPTIONS = `--expose-gc --import=data:text/javascript,${encodeURIComponent(COLLECT)}`;

test('an import that is not possible closes its file, and exits with 2', async () => {
  const file = join(directory, 'good.ndjson');
  await writeFile(file, audit);
  const broken = { SVC_DATABASE_URL: database.url.replace(/test_\w+/, 'none') };
  for (const [input, workspaceId, settings, reason] of [
    [directory, workspace, {}, /^svcd: .* cannot be read: it is a directory\n$/],
    [file, 'wks_none', {}, /^svcd: There is no workspace "wks_none"\.\n$/],
    [file, workspace, broken, /^svcd: .*\n$/],
  ] as const) {
    const { code, stdout, stderr } = await runSvcd(
      ['import', 'audits', input, '--format', 'ndjson', '--workspace', workspaceId],
      { env: { ...env, ...settings, NODE_OPTIONS } },
    );
    expect([code, stdout], stderr).toEqual([2, '']);
    expect(stderr).toMatch(reason);
  }
});

test('a second signal ends an import that waits for another writer of the workspace', async () => {
  const writer = await pool.connect();
  try {
    await writer.query('begin; set local idle_in_transaction_session_timeout = 0');
    await writer.query('select from workspace_clocks where workspace_id = $1 for update', [workspace]);
    const importing = spawnSvcd(['import', 'audits', '-', '--format', 'ndjson', '--workspace', workspace], {
      env,
      input: audit,
    });
    const waiting = async (): Promise<number | null> => {
      const { rowCount } = await pool.query(
        `select from pg_stat_activity where datname = current_database() and application_name = 'svcd import'
         and wait_event_type = 'Lock'`,
      );
      return rowCount;
    };
    await expect.poll(waiting).toBe(1);
    expect(await interrupt(importing)).toEqual({ code: 130, signal: null });
  } finally {
    await writer.query('rollback');
    writer.release();
  }
  expect(await idsIn(pool, workspace)).toEqual([]);
});

describe('an import that is stopped', () => {
  const RECORDS = 5_000;
  const importTo = (workspaceId: string) =>
    ['import', 'audits', '-', '--format', 'ndjson', '--workspace', workspaceId] as const;

  /** Imports lines, and stops when some are written. Returns how it ends, and how many are written. */
  async function stopped(lines: string, signal: NodeJS.Signals, flags: readonly string[] = []) {
    const workspaceId = await workspaceWith(pool, 'c1');
    const written = async (): Promise<number> => (await idsIn(pool, workspaceId)).length;
    const importing = spawnSvcd([...importTo(workspaceId), ...flags], { env, openInput: true });
    importing.child.stdin?.write(lines);
    await expect.poll(written, { timeout: 15_000 }).toBeGreaterThan(0);
    const end = await importing.stop(signal);
    return { end, stdout: importing.stdout(), workspaceId, written: await written() };
  }

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('by %s ends after the current batch, says so, and can be repeated', async (signal, code) => {
    const many = ndjson(Array.from({ length: RECORDS }, (_, i) => auditOf(`a${i}`)));
    const { end, stdout, workspaceId, written } = await stopped(many, signal, ['--json']);
    expect(end).toEqual({ code, signal: null });
    const report = JSON.parse(stdout) as object;
    expect(report).toMatchObject({ inserted: written, refused: 0, interrupted: true });
    expect(report).not.toHaveProperty('stoppedAfter');
    const again = await runSvcd([...importTo(workspaceId), '--json'], { env, input: many });
    expect(JSON.parse(again.stdout)).toMatchObject({ inserted: RECORDS - written, existing: written });
  });

  test('and has written records without ids says where to continue, because a repeat would add them again', async () => {
    const { id: _, ...unnamed } = auditOf('');
    const lines = ['', ...Array.from({ length: RECORDS }, () => JSON.stringify(unnamed)), ''];
    const { stdout, workspaceId, written } = await stopped(lines.join('\n'), 'SIGTERM');
    expect(stdout).not.toContain('Run the command again');
    const place = /^Stopped after record ([\d,]+) of the file, which begins in line ([\d,]+)\./m.exec(stdout);
    const [record, line] = [place?.[1], place?.[2]].map((number) => Number(number?.replaceAll(',', '')));
    expect([record, line]).toEqual([written, written + 1]);
    const rest = lines.slice(line).join('\n');
    expect((await runSvcd(importTo(workspaceId), { env, input: rest })).code).toBe(0);
    expect(await idsIn(pool, workspaceId)).toHaveLength(RECORDS);
  });
});
