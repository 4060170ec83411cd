import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Builds dist/ from src/: JavaScript and declarations. The compiler rewrites the endings of relative imports in
 * JavaScript alone; here the declarations get theirs, so that compilers of any version find them. Nobody imports the
 * command line, so it has none.
 */

const sdk = join(import.meta.dirname, '..');
const dist = join(sdk, 'dist');

rmSync(dist, { recursive: true, force: true });
execFileSync('tsc', ['-p', join(sdk, 'tsconfig.build.json')], { stdio: 'inherit' });
for (const file of globSync('cli/**/*.d.ts', { cwd: dist })) rmSync(join(dist, file));
for (const file of globSync('**/*.d.ts', { cwd: dist })) {
  const path = join(dist, file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace(/((?:from|import\()\s*'\.{1,2}\/[^']*)\.ts'/g, "$1.js'"));
}
