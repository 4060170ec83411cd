import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase } from '@svc/service/harness/database.ts';
import { auditOf, idsIn, ndjson, workspaceWith } from '@svc/service/harness/import.ts';
import { interrupt, runSvcd, spawnSvcd } from '@svc/service/harness/process.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { expect, test } from 'vitest';

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
