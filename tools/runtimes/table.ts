import { existsSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };

/** A runtime that the client library supports. */
export interface Runtime {
  readonly name: string;
  /** Its name in PATH. */
  readonly program: string;
  /** Matches the start of `--version`. */
  readonly version: RegExp;
  /** Arguments to run a file that uses the library, with only the permissions that the library needs. */
  readonly args: readonly string[];
  /** Further arguments for the command line. */
  readonly commandArgs?: readonly string[];
  /** The npm package in an exact version, and the program in it. */
  readonly npm: { readonly package: string; readonly release: string; readonly file: string };
}

function nodeRuntime(release: string): Runtime {
  const [major = ''] = release.split('.');
  return {
    name: `Node.js ${major}`,
    program: `node${major}`,
    version: new RegExp(`^v${major}\\.`),
    args: [],
    npm: { package: 'node', release, file: 'bin/node' },
  };
}

/** The oldest Node.js, the one that runs the service (package.json), one between them, and the other runtimes. */
export const RUNTIMES: readonly Runtime[] = [
  nodeRuntime('20.20.2'),
  nodeRuntime('24.21.0'),
  nodeRuntime(manifest.dependencies.node),
  {
    name: 'Deno',
    program: 'deno',
    version: /^deno 2/,
    args: ['run', '--allow-net', '--allow-env'],
    commandArgs: ['--allow-read', '--allow-sys'],
    npm: { package: 'deno', release: '2.9.6', file: 'deno' },
  },
  {
    name: 'Bun',
    program: 'bun',
    version: /^1\./,
    args: ['run'],
    npm: { package: 'bun', release: '1.4.5', file: 'bin/bun.exe' },
  },
];

/** Where `npm run runtimes` installs them: an ignored folder, which `npm ci` empties. */
export const RUNTIMES_DIRECTORY = join(import.meta.dirname, '../../node_modules/.cache/svc-runtimes');

export const installedPath = ({ program, npm }: Runtime): string =>
  join(RUNTIMES_DIRECTORY, 'node_modules', program, npm.file);

export const isInstalled = (runtime: Runtime): boolean => existsSync(installedPath(runtime));
