import { execFile, execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../service/test/harness/temporary-directory.ts';

const ROOT = join(import.meta.dirname, '../..');
const WORKSPACES = [
  '.',
  ...(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { workspaces: string[] }).workspaces,
];
const LIST = 'service/src/list';

/** A copy of the repository: the tracked files, and the installed packages by links. */
async function copyRepository(): Promise<string> {
  const copy = await temporaryDirectory();
  const paths = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0');
  for (const path of paths.filter((one) => one !== '' && existsSync(join(ROOT, one)))) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(ROOT, path), join(copy, path));
  }
  // The workspaces, as packages, must be those of the copy.
  cpSync(join(ROOT, 'node_modules/@svc'), join(copy, 'node_modules/@svc'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  for (const folder of WORKSPACES.map((workspace) => join(workspace, 'node_modules'))) {
    for (const name of existsSync(join(ROOT, folder)) ? readdirSync(join(ROOT, folder)) : []) {
      mkdirSync(join(copy, folder), { recursive: true });
      if (name !== '@svc') symlinkSync(join(ROOT, folder, name), join(copy, folder, name));
    }
  }
  return copy;
}

/** What a program prints in the copy, and whether it found nothing wrong. */
const run = (copy: string, program: string, ...args: readonly string[]) =>
  new Promise<{ readonly passed: boolean; readonly output: string }>((resolve) =>
    execFile(
      join(ROOT, 'node_modules/.bin', program),
      args,
      { cwd: copy, env: { ...process.env, NO_COLOR: '1' } },
      (error, stdout, stderr) => resolve({ passed: error === null, output: stdout + stderr }),
    ),
  );

test('knip finds an unused file, export, type and dependency, and an import of a file that is not there', async () => {
  const copy = await copyRepository();
  writeFileSync(join(copy, LIST, 'planted.ts'), "import './gone.ts';\n");
  appendFileSync(
    join(copy, LIST, 'page.ts'),
    'export const plantedValue = 1;\nexport type PlantedType = string;\n',
  );
  const manifest = join(copy, 'sdk/package.json');
  writeFileSync(
    manifest,
    readFileSync(manifest, 'utf8').replace(
      '"devDependencies": {',
      '"devDependencies": {\n"planted": "1.0.0",',
    ),
  );
  appendFileSync(join(copy, LIST, 'query.ts'), "import './planted-import.ts';\n");

  const { passed, output } = await run(copy, 'knip', '--no-progress');

  expect(passed).toBe(false);
  expect(output).toMatch(/Unused files \(1\)\n.*service\/src\/list\/planted\.ts/);
  expect(output).toMatch(/Unused exports \(1\)\nplantedValue/);
  expect(output).toMatch(/Unused exported types \(1\)\nPlantedType/);
  expect(output).toMatch(/Unused devDependencies \(1\)\nplanted/);
  expect(output).toMatch(/Unresolved imports \(1\)\n\.\/planted-import\.ts/);
});

test('biome finds a cycle between files, also of types, and an import of a package that the workspace does not declare', async () => {
  const copy = await copyRepository();
  writeFileSync(
    join(copy, LIST, 'first.ts'),
    "import type { B } from './second.ts';\nexport type A = B[];\n",
  );
  writeFileSync(
    join(copy, LIST, 'second.ts'),
    "import type { A } from './first.ts';\nexport type B = A | string;\n",
  );
  writeFileSync(join(copy, 'bench/planted.ts'), "import 'react';\n");

  const { passed, output } = await run(copy, 'biome', 'lint', LIST, 'bench');

  expect(passed).toBe(false);
  expect(output).toMatch(/first\.ts:1:\d+ lint\/suspicious\/noImportCycles/);
  expect(output).toMatch(/planted\.ts:1:\d+ lint\/correctness\/noUndeclaredDependencies/);
});
