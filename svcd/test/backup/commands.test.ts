import { chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@svc/embedded-postgres/testing';
import { type IssuedKey, signIn } from '@svc/service/harness/dashboard-http.ts';
import { runSvcd, startSvcd } from '@svc/service/harness/process.ts';
import { type RunningService, startRunningService } from '@svc/service/harness/running-service.ts';
import { secret } from '@svc/service/harness/secrets.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import {
  ask,
  bash,
  dataDirOf,
  expectDone,
  exportOf,
  keepWriting,
  newDataDir,
  quietWorkspace,
} from './support.ts';

const TIMEOUT_MS = 120_000;
vi.setConfig({ testTimeout: TIMEOUT_MS });
const AUDITS = 10_000;
/** The user id of another user, which is not that of PostgreSQL. */
const OWNER = 54_321;

let running: RunningService;
let testKey: IssuedKey;
let folder: string;
let file: string;
let secretOfService: string;
/** Of a workspace that nobody writes to. */
let quiet: { readonly workspaceId: string; readonly exported: string };

beforeAll(async () => {
  running = await startRunningService();
  folder = await temporaryDirectory();
  file = join(folder, 'whole.backup');
  secretOfService = (await readFile(join(dataDirOf(running.env), 'secret'), 'utf8')).trim();
  secret(secretOfService);
  testKey = await running.dashboard.createKey(running.workspaceId, { access: 'write', mode: 'test' });
  const workspaceId = await quietWorkspace(running.env, AUDITS);
  quiet = { workspaceId, exported: await exportOf(running.env, workspaceId) };
}, TIMEOUT_MS);

test('a backup under load refuses no request, verifies, and its restored copy serves the same keys and records', async () => {
  const webhooks = `/workspaces/${running.workspaceId}/webhooks`;
  const { endpoint, secret: webhookSecret } = await running.dashboard.post<{
    readonly endpoint: { readonly id: string };
    readonly secret: string;
  }>(webhooks, {
    url: 'https://example.com/hook',
    description: '',
    companyId: null,
    types: ['company.deleted'],
    ordered: false,
  });
  secret(webhookSecret);
  const writing = keepWriting(running);
  const done = await expectDone(
    runSvcd(['backup', '--output', file, '--verify', '--include-secret'], { env: running.env }),
  );
  const statuses = await writing.stop();
  expect([...statuses.keys()].sort()).toEqual([200, 201]);
  expect(done.stderr).toMatch(/^Backed up [\d,]+ rows of \d+ tables .* to .*whole\.backup\. Verified\.$/m);
  expect(done.stderr).toContain('The backup contains the secret');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['whole.backup']);

  const env = await newDataDir();
  const restored = await expectDone(runSvcd(['restore', file], { env }));
  expect(restored.stderr).toMatch(/^Restored [\d,]+ rows of \d+ tables/m);
  expect(restored.stderr).toMatch(/the service disables all webhook endpoints .* until you enable them/);
  expect((await stat(join(dataDirOf(env), 'secret'))).mode & 0o777).toBe(0o600);
  expect((await expectDone(runSvcd(['verify'], { env }))).stdout).toContain('no differences');
  expect(await exportOf(env, quiet.workspaceId)).toBe(quiet.exported);

  const service = await startSvcd(env);
  for (const key of [running.key, testKey])
    expect((await ask(service, '/v1/audits?limit=1', key)).status).toBe(200);
  const dashboard = await signIn(service);
  await waitFor(async () =>
    expect(await dashboard.get(`${webhooks}/${endpoint.id}`)).toMatchObject({
      endpoint: { enabled: false, disabled: { reason: 'expired' } },
    }),
  );
  await service.stop();
});

test('the secret is in a backup only on request, and without it the restore says what to do', async () => {
  const without = join(folder, 'without.backup');
  const done = await expectDone(runSvcd(['backup', without], { env: running.env }));
  expect(done.stderr).toContain('The backup does not contain the secret');
  const contains = async (path: string) => (await readFile(path)).includes(secretOfService);
  expect([await contains(without), await contains(file)]).toEqual([false, true]);

  const env = await newDataDir();
  const restored = await expectDone(runSvcd(['restore', without], { env }));
  const secretFile = join(dataDirOf(env), 'secret');
  expect(restored.stderr).toContain(`Put that of the original into ${secretFile}`);
  expect(await readdir(dataDirOf(env))).not.toContain('secret');
  await writeFile(secretFile, `${secretOfService}\n`, { mode: 0o600 });
  const service = await startSvcd(env);
  expect((await ask(service, '/v1/audits?limit=1', running.key)).status).toBe(200);
  await service.stop();
});

// Only root may give a file to another user.
test.runIf(process.getuid?.() === 0)(
  'what root restores belongs to the owner of the directory, but the database to the user of PostgreSQL',
  async () => {
    const env = await newDataDir();
    const dataDir = dataDirOf(env);
    await mkdir(dataDir);
    await chown(dataDir, OWNER, OWNER);
    await expectDone(runSvcd(['restore', file], { env }));
    const owners = await Promise.all(
      ['secret', 'postgres.password', 'postgres.log', 'postgres.lock'].map(
        async (name) => (await stat(join(dataDir, name))).uid,
      ),
    );
    expect(owners).toEqual([OWNER, OWNER, OWNER, OWNER]);
    expect((await stat(join(dataDir, 'postgres'))).uid).not.toBe(OWNER);
  },
);

describe('a pipe', () => {
  test('takes a backup to a restore', async () => {
    const env = await newDataDir();
    const script = `svcd backup - --include-secret | SVC_DATA_DIR=${dataDirOf(env)} svcd restore -`;
    expect(await bash(script, running.env)).toMatchObject({ code: 0, stdout: '' });
    expect(await exportOf(env, quiet.workspaceId)).toBe(quiet.exported);
  });

  test('whose reader goes away is a failure', async () => {
    const { code, stdout, stderr } = await bash(
      // biome-ignore lint/suspicious/noTemplateCurlyInString: bash reads it.
      'svcd backup | head -c 1000 > /dev/null; echo "${PIPESTATUS[0]}"',
      running.env,
    );
    expect([code, stdout]).toEqual([0, '1\n']);
    expect(stderr).toContain('standard output cannot be written');
  });

  test('that ends too early is refused, and a complete one is restored into the same directory', async () => {
    const env = await newDataDir();
    const cut = await bash(`head -c 100000 ${file} | svcd restore -`, env);
    expect([cut.code, cut.stderr]).toEqual([1, expect.stringContaining('the backup is not complete')]);
    await expectDone(runSvcd(['restore', file], { env }));
  });
});

test('a database with data is refused, also while its service runs', async () => {
  const { code, stderr } = await runSvcd(['restore', file], { env: running.env });
  expect([code, stderr]).toEqual([1, expect.stringContaining('the database is not empty')]);
});

test('a data directory with another secret is refused before anything is restored', async () => {
  const env = await newDataDir();
  const secretFile = join(dataDirOf(env), 'secret');
  await mkdir(dataDirOf(env));
  await writeFile(secretFile, 'another secret of 32 characters or more');
  const { code, stderr } = await runSvcd(['restore', file], { env });
  expect([code, stderr]).toEqual([1, expect.stringContaining(`${secretFile} exists`)]);
});
