import { chmod, chown, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { dataDirectory } from '@svc/embedded-postgres/testing';
import { bootstrapWorkspace } from '@svc/service/harness/dashboard-http.ts';
import { runSvcd, type ServiceProcess } from '@svc/service/harness/process.ts';
import { connectEmbedded, startRunningService } from '@svc/service/harness/running-service.ts';
import { freePort } from '@svc/service/server/listen';
import { beforeAll, describe, expect, test } from 'vitest';
import { exampleUnder } from '../../service/test/docs/documents.ts';
import type { Finding } from '../src/doctor/check.ts';

const closedPort = String(await freePort('127.0.0.1'));

interface Report {
  readonly code: number | null;
  readonly ok: boolean;
  readonly checks: readonly Finding[];
}

async function doctor(env: Readonly<Record<string, string>>): Promise<Report> {
  const { code, stdout, stderr } = await runSvcd(['doctor', '--json'], {
    env: { SVC_PORT: closedPort, ...env },
  });
  expect(stderr).toBe('');
  return { code, ...(JSON.parse(stdout) as Omit<Report, 'code'>) };
}

/** Runs the command that the documents name for a clock that was ahead. */
async function repairClocks(env: Readonly<Record<string, string>>): Promise<void> {
  const [, ...args] = exampleUnder('docs/operations.md', 'A clock that was ahead', 'sh').trim().split(' ');
  expect((await runSvcd(args, { env })).stdout).toContain('(repaired)');
}

const finding = ({ checks }: Report, check: string): Finding | undefined =>
  checks.find((one) => one.check === check);

describe('on an empty machine', () => {
  test('svcd doctor finds no problem and creates nothing', async () => {
    const dataDir = await dataDirectory();
    const report = await doctor({ SVC_DATA_DIR: dataDir });
    expect(report).toMatchObject({ code: 0, ok: true });
    expect(report.checks.filter(({ status }) => status !== 'ok')).toEqual([]);
    await expect(rm(dataDir)).rejects.toThrow(/ENOENT/);
  });

  test('it warns of a data directory that other users can write to, but not of its own group', async () => {
    const dataDir = await dataDirectory();
    await mkdir(dataDir);
    const find = async (mode: number): Promise<Finding | undefined> => {
      await chmod(dataDir, mode);
      return finding(await doctor({ SVC_DATA_DIR: dataDir }), 'data directory');
    };
    // The mode of a volume of Kubernetes with an fsGroup.
    expect(await find(0o2775)).toMatchObject({ status: 'ok', text: dataDir });
    expect(await find(0o777)).toMatchObject({ status: 'warn', remedy: `run: chmod go-w ${dataDir}` });
    // Only root can give the directory to a group that it does not have.
    if (process.getuid?.() !== 0) return;
    await chown(dataDir, 0, 54_321);
    expect(await find(0o2775)).toMatchObject({ status: 'warn' });
  });

  test('it names every wrong setting, and ends with code 1', async () => {
    const report = await doctor({ SVC_WORKERS: 'many', SVC_WROKERS: '2' });
    expect([report.code, report.ok]).toEqual([1, false]);
    expect(report.checks.filter(({ status }) => status === 'fail').map(({ text }) => text)).toEqual([
      expect.stringContaining('SVC_WORKERS'),
      expect.stringContaining('SVC_WROKERS'),
    ]);
  });

  test('it says that a database does not answer, without its password', async () => {
    const report = await doctor({
      SVC_DATABASE_URL: 'postgres://svc:unlucky-password@127.0.0.1:1/svc',
      SVC_SECRET: 'x'.repeat(32),
    });
    expect(finding(report, 'database')).toMatchObject({
      status: 'fail',
      text: expect.stringContaining('does not answer'),
    });
    expect([report.code, JSON.stringify(report)]).toEqual([1, expect.not.stringContaining('unlucky')]);
  });
});

describe('while a service runs', () => {
  let service: ServiceProcess;
  let env: Readonly<Record<string, string>>;
  let dataDir: string;

  beforeAll(async () => {
    const running = await startRunningService();
    service = running.service;
    dataDir = running.env['SVC_DATA_DIR'] ?? '';
    env = { ...running.env, SVC_PORT: new URL(service.url).port };
  });

  test('svcd doctor prints one line with ok per check', async () => {
    const { code, stdout, stderr } = await runSvcd(['doctor'], { env });
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.trim().split('\n');
    expect(lines.every((line) => line.startsWith('ok    '))).toBe(true);
    for (const check of [
      'node',
      'settings',
      'data directory',
      'disk',
      'secrets',
      'database',
      'clock',
      'schema',
      'audit log',
      'times',
      'keys',
      'second factors',
      'service',
      'proxies',
    ]) {
      expect(lines.some((line) => line.slice(6).startsWith(check))).toBe(true);
    }
    expect(stdout).toContain(`answers at ${service.url}/readyz`);
  });

  test('it warns if the service that answers uses another data directory', async () => {
    const other = await dataDirectory();
    const expected = {
      check: 'service',
      status: 'warn',
      text: `another service answers at ${service.url}/readyz: none uses ${other}`,
      remedy: expect.stringContaining('SVC_DATA_DIR'),
    };
    const missing = await doctor({ ...env, SVC_DATA_DIR: other });
    expect(finding(missing, 'service')).toEqual(expected);
    expect(finding(missing, 'proxies')).toBeUndefined();
    await bootstrapWorkspace({ SVC_DATA_DIR: other });
    expect(finding(await doctor({ ...env, SVC_DATA_DIR: other }), 'service')).toEqual(expected);
  });

  test('it warns of a secret that other users can read', async () => {
    await chmod(join(dataDir, 'secret'), 0o644);
    const report = await doctor(env);
    await chmod(join(dataDir, 'secret'), 0o600);
    expect([report.code, finding(report, 'secrets')]).toMatchObject([
      0,
      { status: 'warn', remedy: /chmod 600/ },
    ]);
  });

  test('it finds keys that were created with another secret', async () => {
    const report = await doctor({ ...env, SVC_SECRET: 'another secret of 32 characters or more' });
    expect([report.code, finding(report, 'keys')]).toMatchObject([1, { status: 'fail' }]);
  });

  test('it finds stored times in the future, which a wrong clock has left, and says what to do', async () => {
    const client = await connectEmbedded(dataDir);
    for (const [statement, text] of [
      [`update live_meters set month = '2031-01-01'`, 'month of the live quota'],
      [`update live_meters set last_entry_at = '2031-01-01'`, 'clock of the audit log'],
      [`update workspace_clocks set last_at = '2031-01-01'`, 'clock of records'],
    ] as const) {
      await client.query(statement);
      const report = await doctor(env);
      expect([report.code, finding(report, 'times')]).toEqual([
        1,
        {
          check: 'times',
          status: 'fail',
          text: expect.stringMatching(`^the ${text} of wks_\\w+ is in the future: 2031-01-01T00:00:00Z$`),
          remedy: expect.stringContaining('svcd verify --repair'),
        },
      ]);
      await repairClocks(env);
      expect(finding(await doctor(env), 'times')).toMatchObject({ status: 'ok' });
    }
    await client.query(`update usage_marks set counted_until = '2031-01-01'`);
    await repairClocks(env);
    const marks = await client.query('select from usage_marks where counted_until > now()');
    expect(marks.rowCount).toBe(0);
    await client.query(`update live_meters set last_entry_at = now() + interval '30 seconds'`);
    expect(finding(await doctor(env), 'times')).toMatchObject({ status: 'ok' });
  });

  test('it finds missing partitions of the audit log, pending migrations, and migrations of another program', async () => {
    const client = await connectEmbedded(dataDir);
    const { rows } = await client.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_log'::regclass order by 1`,
    );
    for (const { name } of rows.slice(2)) await client.query(`drop table ${name}`);
    expect(finding(await doctor(env), 'audit log')).toMatchObject({ status: 'warn' });
    for (const { name } of rows.slice(0, 2)) await client.query(`drop table ${name}`);
    expect(finding(await doctor(env), 'audit log')).toMatchObject({ status: 'fail' });

    const removed = await client.query<{ name: string }>(
      'delete from schema_migrations where number > (select max(number) - 2 from schema_migrations) returning name',
    );
    const names = removed.rows.map((row) => row.name).sort();
    expect(finding(await doctor(env), 'schema')).toMatchObject({
      status: 'warn',
      text: `2 migrations to apply: ${names.join(', ')}`,
    });
    await client.query(`update schema_migrations set sha256 = 'edited' where number = 1`);
    expect(await doctor(env)).toMatchObject({ code: 1, ok: false });
  });
});
