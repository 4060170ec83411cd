import { globSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyOfSources, packClient, projectWith, run } from './package.ts';

const PACKED_MAX_BYTES = 260_000;
/** Without the file that contains the packages of `svc mcp`. */
const OWN_MAX_BYTES = 400_000;
const MCP_SERVER = 'dist/cli/mcp/server';
const BIN = join(import.meta.dirname, '../../../node_modules/.bin');

const sources = await copyOfSources();
const manifest = await readFile(join(sources, 'package.json'), 'utf8');
const tarball = await packClient(sources);
const project = await projectWith(tarball);
const installed = join(project, 'node_modules/@svc/sdk');

test('the package is small, has no dependencies, and contains only JavaScript, declarations, README and licence', async () => {
  expect((await stat(tarball)).size).toBeLessThan(PACKED_MAX_BYTES);
  const { stdout } = await run('tar', ['tzf', tarball]);
  for (const file of stdout.trim().split('\n')) {
    if (file === `package/${MCP_SERVER}.LICENSES.txt`) continue;
    expect(file).toMatch(/^package\/(?:dist\/.*\.(?:js|d\.ts)|package\.json|README\.md|LICENSE)$/);
  }
  for (const file of [
    'package.json',
    'README.md',
    'LICENSE',
    'dist/index.js',
    'dist/index.d.ts',
    'dist/cli/main.js',
  ]) {
    expect(stdout).toContain(`package/${file}\n`);
  }
  const published = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  expect(Object.keys(published)).not.toContain('dependencies');
  expect(Object.keys(published)).not.toContain('private');
  expect(Object.keys(published)).not.toContain('scripts');
});

test('no module imports another package, and only that of svc mcp contains some, with their licences', async () => {
  const modules = globSync('dist/**/*.js', { cwd: installed });
  let bytes = 0;
  for (const module of modules) {
    const text = await readFile(join(installed, module), 'utf8');
    const imports = [...text.matchAll(/(?:^|[;\n}])(?:import|export)\b[^'"\n;]*?from\s*['"]([^'"]+)['"]/g)];
    for (const [, target = ''] of imports) expect(target).toMatch(/^(?:\.{1,2}\/|node:)/);
    if (module !== `${MCP_SERVER}.js`) bytes += text.length;
  }
  expect(modules).toContain(`${MCP_SERVER}.js`);
  expect(bytes).toBeLessThan(OWN_MAX_BYTES);
  const licences = await readFile(join(installed, `${MCP_SERVER}.LICENSES.txt`), 'utf8');
  for (const name of ['@modelcontextprotocol/server', 'zod']) expect(licences).toContain(`${name}\n`);
});

test('packing leaves the package.json of the sources as it was', async () => {
  expect(await readFile(join(sources, 'package.json'), 'utf8')).toBe(manifest);
});

test('publint and arethetypeswrong find nothing', async () => {
  const { stdout } = await run(join(BIN, 'publint'), ['run', '--strict', installed]);
  expect(stdout).toContain('All good!');
  // The package is ESM only, like the profile. The command fails if it finds a problem.
  await run(join(BIN, 'attw'), [tarball, '--profile', 'esm-only']);
});

test.each([
  ['the DOM', ['es2022', 'dom']],
  ['no runtime', ['es2022']],
])('its declarations compile with the types of %s, without leaving out any check', async (_, lib) => {
  const options = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2022',
    lib,
    types: [],
  };
  await writeFile(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...options, skipLibCheck: false }, files: ['use.ts'] }),
  );
  await writeFile(
    join(project, 'use.ts'),
    "import { type Fetch, Svc } from '@svc/sdk';\nconst { data } = await new Svc().audits.list({ sort: 'score-ascending' });\nexport const score: number | undefined = data[0]?.headlineScore;\nexport const fetching: Fetch = async (_, { signal }) => ({ status: signal.aborted ? 0 : 204, headers: { get: () => null }, text: async () => '' });\n",
  );
  await run(join(BIN, 'tsc'), ['-p', project]);
});
