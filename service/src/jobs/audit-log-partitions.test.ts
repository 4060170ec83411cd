import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/harness/database.ts';
import { listPartitions } from '../audit-log/partitions.ts';
import { inTransaction } from '../database/pool.ts';
import { createWorkspace } from '../records/workspaces.ts';
import { maintainAuditLog } from './audit-log-partitions.ts';

const RETENTION_DAYS = 60;

const { pool } = await createTestDatabase();
const log = pino({ level: 'silent' });

const maintainAt = (time: string): Promise<boolean> =>
  maintainAuditLog({
    pool,
    databaseNowMs: Date.parse(time),
    nodeNowMs: Date.parse(time),
    retentionDays: RETENTION_DAYS,
    log,
  });
const names = async (): Promise<readonly string[]> => (await listPartitions(pool)).map(({ name }) => name);

async function writeEntry(id: string, createdAt: string): Promise<void> {
  await pool.query(
    `insert into audit_log (workspace_id, id, created_at, kind, doc) values ('wks_1', $1, $2, 'api.request', '{}')`,
    [id, createdAt],
  );
}

async function partitionOf(id: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ name: string }>(
    'select tableoid::regclass::text as name from audit_log where id = $1',
    [id],
  );
  return rows[0]?.name;
}

beforeEach(async () => {
  for (const name of await names()) await pool.query(`drop table ${name}`);
});

describe('the partitions of the audit log', () => {
  test('are dropped also if others cannot be created, and although the counts of imports cannot be deleted', async () => {
    await maintainAt('2030-01-15T00:00:00Z');
    const workspaceId = await inTransaction(pool, (client) => createWorkspace(client, 'test'));
    await pool.query(`
      insert into imports (workspace_id, id, created_at, records) values ('${workspaceId}', 'imp_1', '2030-01-02T00:00:00Z', 1);
      create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
      create trigger refuse before delete on imports for each row execute function refuse();
      create table audit_log_2030_09 ()`);
    await writeEntry('log_april', '2030-04-01T00:00:00Z');
    await expect(maintainAt('2030-04-02T00:00:00Z')).rejects.toThrow('refused');
    expect(await names()).not.toContain('audit_log_2030_01');
    await pool.query('drop trigger refuse on imports; drop function refuse');
    await expect(maintainAt('2030-06-10T00:00:00Z')).rejects.toThrow(
      'new partitions: relation "audit_log_2030_09" already',
    );
    expect(await names()).not.toContain('audit_log_2030_02');
    expect((await pool.query('select from imports')).rowCount).toBe(0);
    await pool.query('drop table audit_log_2030_09');
  });

  test('are dropped when their last entry is older than the retention, and not a moment earlier', async () => {
    await maintainAt('2030-01-15T00:00:00Z');
    await writeEntry('log_january', '2030-01-31T23:59:59.999999Z');
    await writeEntry('log_february', '2030-02-01T00:00:00Z');
    // The first of April is 60 days after the last of January's entries can have been written.
    await maintainAt('2030-04-01T23:59:59.999Z');
    expect(await names()).toContain('audit_log_2030_01');
    await maintainAt('2030-04-02T00:00:00Z');
    expect(await names()).toEqual([
      'audit_log_2030_02',
      'audit_log_2030_03',
      'audit_log_2030_04',
      'audit_log_2030_05',
      'audit_log_2030_06',
      'audit_log_2030_07',
    ]);
    expect(await Promise.all([partitionOf('log_january'), partitionOf('log_february')])).toEqual([
      undefined,
      'audit_log_2030_02',
    ]);
  });

  test('are kept, with a warning, if the clocks disagree', async () => {
    await maintainAt('2030-01-15T00:00:00Z');
    const warnings: string[] = [];
    await maintainAuditLog({
      pool,
      databaseNowMs: Date.parse('2030-04-02T00:00:00Z'),
      nodeNowMs: Date.parse('2031-04-02T00:00:00Z'),
      retentionDays: RETENTION_DAYS,
      log: pino({ level: 'warn' }, { write: (line) => void warnings.push(line) }),
    });
    expect(await names()).toContain('audit_log_2030_01');
    expect(warnings).toEqual([expect.stringContaining('were kept: the clocks')]);
  });

  test('wait at most two seconds for a long reader before they are dropped, so that entries do not wait longer', async () => {
    await maintainAt('2030-01-15T00:00:00Z');
    const reader = await pool.connect();
    try {
      await reader.query('begin');
      await reader.query('select 1 from audit_log');
      await expect(maintainAt('2030-04-02T00:00:00Z')).rejects.toThrow(/lock timeout/);
    } finally {
      await reader.query('rollback');
      reader.release();
    }
    expect(await names()).toContain('audit_log_2030_01');
    await maintainAt('2030-04-02T00:00:00Z');
    expect(await names()).not.toContain('audit_log_2030_01');
  });
});
