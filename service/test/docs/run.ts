import { type ChildProcessByStdio, execFile, spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { type Example, type Language, REPOSITORY } from './documents.ts';

const run = promisify(execFile);

/** The program of each language; undefined where it is not there. */
const PROGRAMS: Readonly<Record<Language, string | undefined>> = {
  sh: present('bash') && present('curl') ? 'bash' : undefined,
  ts: process.execPath,
  python: present('python3') ? 'python3' : undefined,
};

function present(program: string): boolean {
  if (spawnSync(program, ['--version']).status === 0) return true;
  process.stderr.write(`${program} is not there: the examples that need it are not run\n`);
  return false;
}

export const canRun = (language: Language): boolean => PROGRAMS[language] !== undefined;

const BIN = 'node_modules/.bin';

/** An empty project of somebody who uses the client library and its command line. */
export async function userProject(): Promise<string> {
  const directory = await temporaryDirectory();
  await writeFile(join(directory, 'package.json'), '{"type": "module"}');
  await mkdir(join(directory, 'node_modules/@svc'), { recursive: true });
  await symlink(join(REPOSITORY, 'sdk'), join(directory, 'node_modules/@svc/sdk'));
  await mkdir(join(directory, BIN));
  const main = join(REPOSITORY, 'sdk/src/cli/main.ts');
  const svc = `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`;
  await writeFile(join(directory, BIN, 'svc'), svc, { mode: 0o755 });
  return directory;
}

/** Runs an example as somebody who has copied it, in a folder of its own in the project; throws when it fails. */
export async function runExample(
  example: Pick<Example, 'language' | 'text'>,
  env: NodeJS.ProcessEnv,
  directory: string,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const { program, args, options } = await prepare(example, env, directory);
  return run(program, args, options);
}

/** Starts an example that runs until it is stopped. `more`: arguments of the example. */
export async function startExample(
  example: Pick<Example, 'language' | 'text'>,
  env: NodeJS.ProcessEnv,
  directory: string,
  more: readonly string[] = [],
): Promise<ChildProcessByStdio<null, Readable, Readable>> {
  const { program, args, options } = await prepare(example, env, directory);
  return spawn(program, [...args, ...more], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function prepare(
  { language, text }: Pick<Example, 'language' | 'text'>,
  env: NodeJS.ProcessEnv,
  directory: string,
) {
  const program = PROGRAMS[language];
  if (program === undefined) throw new Error(`${language} cannot be run here`);
  const path = `${join(directory, BIN)}${delimiter}${process.env['PATH']}`;
  const cwd = await mkdtemp(join(directory, 'example-'));
  const options = { env: { ...process.env, ...env, PATH: path, XDG_CONFIG_HOME: cwd }, cwd };
  // A shell whose input is a socket takes itself for a remote one and would read the user's settings.
  if (language === 'sh') return { program, args: ['--norc', '-euo', 'pipefail', '-c', text], options };
  const file = join(cwd, `example.${language === 'ts' ? 'ts' : 'py'}`);
  await writeFile(file, text);
  return { program, args: [file], options };
}
