import { readFile } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { readMigrationFiles } from '@svc/service/database/migrate';
import { createTestDatabase } from '@svc/service/harness/database.ts';
import { findingsOf } from '@svc/service/harness/verify.ts';
import type pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import type { RecordedDatabase } from '../../../service/test/upgrade/recorded.ts';
import { restoreRelease } from '../../../service/test/upgrade/restore.ts';
import { backupDatabase, restoreDatabase } from '../../src/backup/database.ts';

// A backup that this release makes of a database of 0.1.0, as before an upgrade.

const RECORDING = new URL('../../../service/test/upgrade/0.1.0.json', import.meta.url);

let recorded: RecordedDatabase;
let old: pg.Pool;
let backup: Buffer;

beforeAll(async () => {
  recorded = JSON.parse(await readFile(RECORDING, 'utf8')) as RecordedDatabase;
  const database = await createTestDatabase({ template: false });
  old = database.pool;
  await restoreRelease(old, recorded);
  const output = new PassThrough();
  [backup] = await Promise.all([
    buffer(output),
    backupDatabase(database.url, output).then(() => output.end()),
  ]);
});

const rowsOf = async (pool: pg.Pool, table: string): Promise<readonly object[]> =>
  (await pool.query<object>(`select * from ${table} order by 1, 2`)).rows;

test.each([false, true])('it is restored, and migrated; expiring positions: %s', async (expirePositions) => {
  const { pool, url } = await createTestDatabase({ template: false });
  const report = await restoreDatabase(Readable.from([backup]), url, { expirePositions });
  expect(report).toMatchObject({ migrated: true, unknown: [] });
  const migrations = await rowsOf(pool, 'schema_migrations');
  expect(migrations).toHaveLength((await readMigrationFiles()).length);
  for (const table of ['companies', 'audits', 'api_keys', 'audit_log', 'users', 'sessions']) {
    const before = await rowsOf(old, table);
    expect(before.length, table).toBeGreaterThan(0);
    // Newer migrations only add columns.
    expect(await rowsOf(pool, table), table).toMatchObject(before);
  }
  const { rows } = await pool.query<{ workspaces: number; expired: number }>(
    `select count(*)::int as workspaces, count(*) filter (where complete_after >= last_at)::int as expired
     from workspace_clocks left join feed_starts using (workspace_id)`,
  );
  expect(rows[0]?.workspaces).toBeGreaterThan(0);
  if (expirePositions) expect(rows[0]?.expired).toBe(rows[0]?.workspaces);
  expect(await findingsOf(pool)).toEqual([]);
});
