import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { findProgram } from '../../../tools/debian.ts';
import { installRuntimes } from '../../../tools/runtimes/install.ts';
import { installedPath, RUNTIMES } from '../../../tools/runtimes/table.ts';
import { OLDEST_NODE } from '../../src/node-version.ts';

/** Makes a Debian with Node.js and npm and nothing else, because no registry of images can be reached. */

/** The npm that comes with a Node.js. Version 12 runs no scripts of packages unless it is told to. */
const NPM: Readonly<Record<number, string>> = { 24: '11.19.1', 26: '12.2.0' };
const CERTIFICATES = 'etc/ssl/certs/ca-certificates.crt';

const silent: ExecFileSyncOptions = { stdio: ['ignore', 'ignore', 'pipe'] };

/** The supported releases of Node.js: major version and program. */
export const supportedNodes = RUNTIMES.filter(({ npm }) => npm.package === 'node')
  .map((runtime) => ({
    major: Number.parseInt(runtime.npm.release, 10),
    node: installedPath(runtime),
  }))
  .filter(({ major }) => major >= OLDEST_NODE);

/** The path of a program of Debian. Throws if it cannot be installed. */
export function requireProgram(path: string, debianPackage: string): string {
  const program = findProgram(path, debianPackage);
  if (program === undefined) throw new Error(`${debianPackage} is missing`);
  return program;
}

/** Writes a minimal Debian 12 to a tar file. Node.js 26 needs libatomic. */
export function makeDebian(tar: string): void {
  const mmdebstrap = requireProgram('/usr/bin/mmdebstrap', 'mmdebstrap');
  const options = ['--variant=minbase', '--include=ca-certificates,libatomic1', 'bookworm', tar];
  execFileSync(mmdebstrap, options, silent);
}

/** Unpacks the Debian to a folder, and adds Node.js, npm, and this machine's certificates and name servers. */
export function makeRoot(tar: string, root: string, { major, node }: { major: number; node: string }): void {
  installRuntimes();
  mkdirSync(root, { recursive: true });
  execFileSync('tar', ['--extract', '--file', tar, '--directory', root, '--exclude=./dev/*'], silent);
  const local = join(root, 'usr/local');
  copyFileSync(node, join(local, 'bin/node'));
  copyFileSync(`/${CERTIFICATES}`, join(root, CERTIFICATES));
  copyFileSync('/etc/resolv.conf', join(root, 'etc/resolv.conf'));
  // With the prefix of a Node.js from a Debian package, such as that of NodeSource.
  writeFileSync(join(local, 'etc/npmrc'), `cafile=/${CERTIFICATES}\nprefix=/usr\n`);
  execFileSync(
    'npm',
    ['install', '--global', '--prefix', local, '--no-audit', '--no-fund', `npm@${NPM[major]}`],
    {
      ...silent,
      env: { ...process.env, PATH: [dirname(join(local, 'bin/node')), process.env['PATH']].join(delimiter) },
    },
  );
}
