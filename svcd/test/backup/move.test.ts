import { createTestDatabase } from '@svc/service/harness/database.ts';
import { startSvcd } from '@svc/service/harness/process.ts';
import { startRunningService } from '@svc/service/harness/running-service.ts';
import { secret } from '@svc/service/harness/secrets.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { expect, test } from 'vitest';
import { exampleUnder } from '../../../service/test/docs/documents.ts';
import { ask, bash, dataDirOf, exportOf, quietWorkspace } from './support.ts';

const TIMEOUT_MS = 120_000;

interface Log {
  readonly data: readonly object[];
}

test('a service moves from the embedded PostgreSQL to another as docs/operations.md says: keys and records are the same', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { env, key, service, dashboard, workspaceId: own } = await startRunningService();
  const workspaceId = await quietWorkspace(env, 300);
  const exported = await exportOf(env, workspaceId);
  expect((await ask(service, '/v1/audits?limit=1', key)).status).toBe(200);
  const path = `/workspaces/${own}/log`;
  const log = await dashboard.get<Log>(path);
  expect(log.data.length).toBeGreaterThan(1);
  await service.stop();

  const { url } = await createTestDatabase({ template: false });
  const documented = exampleUnder('docs/operations.md', 'Moving from the embedded PostgreSQL', 'sh');
  const commands = documented.trimEnd().split('\n');
  expect(commands.at(-1)).toBe('svcd start');
  const move = commands
    .slice(0, -1)
    .map((line) => line.replace(/^export SVC_DATABASE_URL='[^']*'/, 'export SVC_DATABASE_URL="$OTHER"'));
  const script = `cd "$FOLDER"; set -e\n${move.join('\n')}\nprintf %s "$SVC_SECRET"`;
  const folder = await temporaryDirectory();
  const done = await bash(script, { SVC_DATA_DIR: dataDirOf(env), OTHER: url, FOLDER: folder });
  secret(done.stdout);
  expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('Restored') });
  expect(done.stderr).not.toContain(done.stdout);

  const moved = { SVC_DATABASE_URL: url, SVC_SECRET: done.stdout };
  expect(await exportOf(moved, workspaceId)).toBe(exported);
  const started = await startSvcd(moved);
  expect((await ask(started, '/v1/audits?limit=1', key)).status).toBe(200);
  const answer = await fetch(`${started.url}/dashboard/api${path}`, {
    headers: { cookie: dashboard.headers['cookie'] ?? '' },
  });
  expect(answer.status).toBe(200);
  expect(((await answer.json()) as Log).data).toEqual(expect.arrayContaining([...log.data]));
  await started.stop();
});
