import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Packs the client as `npm publish` would, for the service to serve it, and for tests. */

const ROOT = join(import.meta.dirname, '../..');
const NOT_PACKED = /\/sdk\/(?:dist|test|node_modules|package|LICENSE|.*\.tgz)$/;
/** Settings of the npm that runs this script, such as `--workspace`, do not apply to the one that it runs. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));

/**
 * Copies the sources of the client, and everything that its build needs, into an empty folder, so that packing changes
 * nothing in this repository. Returns the folder of the package.
 */
export function copySources(directory: string): string {
  for (const name of ['package.json', 'tsconfig.json', 'LICENSE'])
    cpSync(join(ROOT, name), join(directory, name));
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  cpSync(join(ROOT, 'sdk'), join(directory, 'sdk'), {
    recursive: true,
    filter: (path) => !NOT_PACKED.test(path),
  });
  return join(directory, 'sdk');
}

/**
 * Packs the client and puts the tarball, `svc-sdk-VERSION.tgz`, into a folder, which is created. The same sources always
 * give the same bytes. Returns the path of the tarball.
 */
export function packClient(to: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'svc-sdk-'));
  try {
    const sources = copySources(directory);
    execFileSync('npm', ['pack', '--silent', '--workspaces=false'], {
      cwd: sources,
      env: { ...env, PATH: `${join(ROOT, 'node_modules/.bin')}${delimiter}${env['PATH']}` },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const name = readdirSync(sources).find((file) => file.endsWith('.tgz'));
    if (name === undefined) throw new Error('npm pack created no tarball.');
    mkdirSync(to, { recursive: true });
    // A service that reads the tarball meanwhile gets the old one or the new one.
    const partial = join(to, `${name}.${process.pid}`);
    cpSync(join(sources, name), partial);
    renameSync(partial, join(to, name));
    return join(to, name);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

// `node tools/pack.ts` packs it to where the service finds it.
if (import.meta.main) packClient(join(ROOT, 'sdk/package'));
