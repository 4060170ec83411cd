import { existsSync } from 'node:fs';
import { FULL_DISK, runSvcd, runSvcdOnFullDisk } from '@svc/service/harness/process.ts';
import {
  bearer,
  connectEmbedded,
  type RunningService,
  startRunningService,
} from '@svc/service/harness/running-service.ts';
import { beforeAll, expect, test } from 'vitest';

const AUDITS = 20;
/** Seven processes, one after the other. */
const TIMEOUT_MS = 60_000;

let running: RunningService;
beforeAll(async () => {
  running = await startRunningService();
  const { service, dashboard, workspaceId } = running;
  const { token } = await dashboard.createKey(workspaceId, { access: 'write' });
  const post = async (path: string, body: object): Promise<void> => {
    const answer = await fetch(`${service.url}/v1/${path}`, {
      method: 'POST',
      headers: { ...bearer(token), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(await answer.text());
  };
  await post('companies', { id: 'acme', name: 'Acme' });
  const audit = { companyId: 'acme', headlineScore: 50, completedAt: '2026-03-01T09:30:00Z' };
  await post('audits/batch', { data: Array.from({ length: AUDITS }, () => audit) });
});

const verify = (...flags: string[]) => runSvcd(['verify', ...flags], { env: running.env });

test('svcd verify exits with 0 without differences and with 1 if there are differences, and --repair repairs them', {
  timeout: TIMEOUT_MS,
}, async () => {
  const well = await verify();
  expect(well).toMatchObject({ code: 0, stderr: '' });
  expect(well.stdout).toMatch(/^Read 21 records in \d+\.\d s: no differences\.\n$/);

  const client = await connectEmbedded(running.env['SVC_DATA_DIR'] ?? '');
  await client.query(
    `update record_counts set records = records + 1 where resource = 'audits' and company_id = ''`,
  );
  await client.query(`update companies set doc = '{}'`);

  const found = await verify();
  expect(found.code).toBe(1);
  expect(found.stdout.split('\n')).toEqual([
    `${running.workspaceId}  counter: audits: stored ${AUDITS + 1}, counted ${AUDITS}`,
    `${running.workspaceId}  wire JSON: company acme: differs from its columns`,
    expect.stringMatching(/^Read 21 records in .*: 2 differences\. svcd verify --repair repairs them\.$/),
    '',
  ]);

  if (existsSync(FULL_DISK)) {
    const lost = await runSvcdOnFullDisk(['verify'], running.env);
    expect(lost.code).toBe(2);
    expect(lost.stderr.split('\n')).toEqual([
      ...found.stdout.split('\n').slice(0, 2),
      expect.stringMatching(/^svcd: standard output cannot be written: .*ENOSPC/),
      '',
    ]);
  }

  const repaired = await verify('--repair', '--json');
  expect(repaired.code).toBe(1);
  const lines = repaired.stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  expect(lines).toEqual([
    expect.objectContaining({ problem: 'counter', repaired: true }),
    expect.objectContaining({ problem: 'wire JSON', repaired: true }),
    { records: AUDITS + 1, findings: 2, repaired: 2, seconds: expect.any(Number) },
  ]);
  expect(await verify('--json')).toMatchObject({ code: 0 });
});

test('svcd verify works while no service runs, and exits with 2 if it fails', {
  timeout: TIMEOUT_MS,
}, async () => {
  await running.service.stop();
  expect(await verify()).toMatchObject({ code: 0 });
  const away = await runSvcd(['verify'], {
    env: {
      SVC_DATABASE_URL: 'postgres://127.0.0.1:1/none',
      SVC_SECRET: 'a secret of the tests, 32 characters or more',
    },
  });
  expect(away).toMatchObject({ code: 2, stdout: '' });
  expect(away.stderr).toMatch(/^svcd: /);
});
