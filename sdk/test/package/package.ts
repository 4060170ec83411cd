import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';
import { installedPath, type Runtime } from '../../../tools/runtimes/table.ts';
import { copySources } from '../../tools/pack.ts';

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program until it ends. Rejects with its output if it fails. */
export const run = (
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string | undefined>> } = {},
): Promise<Ran> =>
  promisify(execFile)(program, [...args], {
    ...options,
    env: { ...process.env, ...options.env },
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: Error & Partial<Ran>) => {
    error.message += `\n${error.stdout ?? ''}`;
    throw error;
  });

/** A copy of the SDK's sources and of everything that its build needs. Resolves with the folder of the package. */
export const copyOfSources = async (): Promise<string> => copySources(await temporaryDirectory());

/** Packs the client with `npm pack` in a copy of its sources. Resolves with the path of the tarball. */
export async function packClient(sources: string): Promise<string> {
  await run('npm', ['pack', '--silent'], { cwd: sources });
  const tarball = (await readdir(sources)).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('npm pack created no tarball');
  return join(sources, tarball);
}

/** An empty project with the tarball installed, and nothing from a registry. */
export async function projectWith(tarball: string): Promise<string> {
  const project = await temporaryDirectory();
  await mkdir(project, { recursive: true });
  await writeFile(
    join(project, 'package.json'),
    '{ "name": "project", "private": true, "type": "module" }\n',
  );
  await run('npm', ['install', '--silent', '--offline', '--no-audit', '--no-fund', tarball], {
    cwd: project,
  });
  return project;
}

/** The runtime's program; undefined if this machine does not have that version. */
export async function findRuntime(runtime: Runtime): Promise<string | undefined> {
  const { program, version } = runtime;
  const inPath = (process.env['PATH'] ?? '').split(delimiter);
  const candidates = [
    installedPath(runtime),
    process.execPath,
    ...['/usr/bin/node', '/usr/local/bin/node'],
    ...inPath.map((directory) => join(directory, program)),
  ];
  for (const candidate of candidates) {
    const result = await run(candidate, ['--version']).catch(() => undefined);
    if (result !== undefined && version.test(result.stdout)) return candidate;
  }
  return undefined;
}
