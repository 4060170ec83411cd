import { expect, test } from 'vitest';
import { copyRepository } from './copied-repository.ts';

const LIST = 'service/src/list';

/** What a program prints in the copy when it finds something. */
const findings = (run: Promise<unknown>): Promise<string> =>
  run.then(
    () => '',
    (error: Error & { readonly stdout?: string; readonly stderr?: string }) =>
      `${error.stdout ?? ''}${error.stderr ?? ''}`,
  );

test('knip finds an unused file, export, type and dependency, and an import of a file that is not there', async () => {
  const copy = await copyRepository();
  await copy.write(`${LIST}/planted.ts`, 'export {};\n');
  await copy.insertBefore(
    `${LIST}/query.ts`,
    'export function parseListQuery',
    "import './gone.ts';\nexport const plantedValue = 1;\nexport type PlantedType = string;\n",
  );
  await copy.insertBefore('sdk/package.json', '"fast-check"', '"planted": "1.0.0",\n');

  const found = await findings(copy.run('knip', ['--no-progress']));

  expect(found).toMatch(/Unused files \(1\)\n.*service\/src\/list\/planted\.ts/);
  expect(found).toMatch(/Unused exports \(1\)\nplantedValue/);
  expect(found).toMatch(/Unused exported types \(1\)\nPlantedType/);
  expect(found).toMatch(/Unused devDependencies \(1\)\nplanted/);
  expect(found).toMatch(/Unresolved imports \(1\)\n\.\/gone\.ts/);
});

test('biome finds a cycle between files, also of types, and an import of a package that the workspace does not declare', async () => {
  const copy = await copyRepository();
  await copy.write(`${LIST}/first.ts`, "import type { B } from './second.ts';\nexport type A = B[];\n");
  await copy.write(
    `${LIST}/second.ts`,
    "import type { A } from './first.ts';\nexport type B = A | string;\n",
  );
  await copy.write('bench/planted.ts', "import 'react';\n");

  const found = await findings(copy.run('biome', ['lint', LIST, 'bench']));

  expect(found).toMatch(/first\.ts:1:\d+ lint\/suspicious\/noImportCycles/);
  expect(found).toMatch(/planted\.ts:1:\d+ lint\/correctness\/noUndeclaredDependencies/);
});
