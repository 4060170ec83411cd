import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REPOSITORY } from './documents.ts';

const COMPILER = join(REPOSITORY, 'node_modules/typescript/bin/tsc');

/** What the compiler says of files in a project of somebody else; empty: nothing. */
export async function typeErrors(directory: string, files: readonly string[]): Promise<string> {
  const config = join(directory, 'tsconfig.json');
  const compilerOptions = {
    strict: true,
    noEmit: true,
    noUncheckedIndexedAccess: true,
    module: 'nodenext',
    target: 'es2024',
    lib: ['es2025', 'dom', 'dom.iterable'],
    types: ['node'],
    typeRoots: [join(REPOSITORY, 'node_modules/@types')],
    // The library is not built here.
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  };
  await writeFile(config, JSON.stringify({ compilerOptions, files }));
  return new Promise((resolve) => {
    execFile(process.execPath, [COMPILER, '-p', config], (_, stdout) => resolve(stdout.trim()));
  });
}
