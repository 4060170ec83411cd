import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleDependencies } from './bundle.ts';

/**
 * Builds dist/ from src/: declarations with comments, and JavaScript without them, because editors show only those of the
 * declarations. The compiler rewrites the extensions of relative imports only in JavaScript. This script rewrites them in
 * the declarations as well, so that compilers of any version resolve them. The command line is not a library, so it gets
 * no declarations. Only `svc mcp` needs other packages: they become part of its file.
 */

const sdk = join(import.meta.dirname, '..');
const dist = join(sdk, 'dist');

rmSync(dist, { recursive: true, force: true });
for (const options of [['--emitDeclarationOnly'], ['--declaration', 'false', '--removeComments']]) {
  execFileSync('tsc', ['-p', join(sdk, 'tsconfig.build.json'), ...options], { stdio: 'inherit' });
}
for (const file of globSync('cli/**/*.d.ts', { cwd: dist })) rmSync(join(dist, file));
for (const file of globSync('**/*.d.ts', { cwd: dist })) {
  const path = join(dist, file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace(/((?:from|import\()\s*'\.{1,2}\/[^']*)\.ts'/g, "$1.js'"));
}
await bundleDependencies(join(dist, 'cli/mcp/server.js'));
