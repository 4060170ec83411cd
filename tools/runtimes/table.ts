import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** A runtime that the client library is for. */
export interface Runtime {
  readonly name: string;
  /** By what it is called in PATH. */
  readonly program: string;
  /** What `--version` begins with. */
  readonly version: RegExp;
  /** How it runs a file that uses the library: with no right that the library does not need. */
  readonly args: readonly string[];
  /** What the command line needs beside that. */
  readonly commandArgs?: readonly string[];
  /** Where it is to be had: a package of npm in an exact version, and the program in it. */
  readonly npm: { readonly package: string; readonly release: string; readonly file: string };
}

export const RUNTIMES: readonly Runtime[] = [
  {
    name: 'Node.js 20',
    program: 'node20',
    version: /^v20\./,
    args: [],
    npm: { package: 'node', release: '20.20.2', file: 'bin/node' },
  },
  {
    name: 'Node.js 24',
    program: 'node24',
    version: /^v24\./,
    args: [],
    npm: { package: 'node', release: '24.21.0', file: 'bin/node' },
  },
  {
    name: 'Node.js 26',
    program: 'node26',
    version: /^v26\./,
    args: [],
    npm: { package: 'node', release: '26.10.0', file: 'bin/node' },
  },
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

/** Where `npm run runtimes` puts them: an ignored folder, which `npm ci` empties. */
export const RUNTIMES_DIRECTORY = join(import.meta.dirname, '../../node_modules/.cache/svc-runtimes');

export const installedPath = ({ program, npm }: Runtime): string =>
  join(RUNTIMES_DIRECTORY, 'node_modules', program, npm.file);

export const isInstalled = (runtime: Runtime): boolean => existsSync(installedPath(runtime));
