import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from '../../service/test/harness/temporary-directory.ts';

const ROOT = join(import.meta.dirname, '../..');
const PROGRAMS = join(ROOT, 'node_modules/.bin');
const run = promisify(execFile);

/** A copy of this repository that a test can change. */
export interface CopiedRepository {
  readonly directory: string;
  /** Runs a program of node_modules/.bin. Rejects with its output if it fails. */
  run(
    program: string,
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<{ readonly stdout: string; readonly stderr: string }>;
  write(path: string, text: string): Promise<void>;
  /** Puts text before the only place that has `anchor`. */
  insertBefore(path: string, anchor: string, text: string): Promise<void>;
}

/**
 * Copies the files of the repository to a temporary directory, without what git ignores. The packages of node_modules are
 * links to those of this repository, except its own workspaces, which are those of the copy.
 */
export async function copyRepository(): Promise<CopiedRepository> {
  const directory = await temporaryDirectory();
  const { stdout } = await run('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT });
  const files = stdout.trim().split('\n');
  for (const folder of new Set(files.map(dirname))) await mkdir(join(directory, folder), { recursive: true });
  // A file that was deleted but not committed is in the list.
  const missing = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'ENOENT') throw error;
  };
  await Promise.all(files.map((file) => cp(join(ROOT, file), join(directory, file)).catch(missing)));
  await linkPackages(directory, files);
  return {
    directory,
    run: (program, args, env = {}) =>
      run(join(PROGRAMS, program), [...args], {
        cwd: directory,
        env: { PATH: `${PROGRAMS}${delimiter}${process.env['PATH']}`, HOME: process.env['HOME'], ...env },
      }).catch((error: Error & { readonly stdout?: string }) => {
        error.message += `\n${error.stdout ?? ''}`;
        throw error;
      }),
    write: (path, text) => writeFile(join(directory, path), text),
    async insertBefore(path, anchor, text) {
      const parts = (await readFile(join(directory, path), 'utf8')).split(anchor);
      if (parts.length !== 2) throw new Error(`${path} has ${parts.length - 1} times: ${anchor}`);
      await writeFile(join(directory, path), parts.join(text + anchor));
    },
  };
}

async function linkPackages(directory: string, files: readonly string[]): Promise<void> {
  const workspaces = files.filter((file) => file.endsWith('/package.json')).map(dirname);
  const own = new Map<string, string>();
  for (const workspace of workspaces) {
    const { name } = JSON.parse(await readFile(join(directory, workspace, 'package.json'), 'utf8'));
    own.set(name, join(directory, workspace));
    // The workspace's own node_modules has versions that differ from those of the other workspaces.
    await symlink(join(ROOT, workspace, 'node_modules'), join(directory, workspace, 'node_modules'));
  }
  const modules = join(directory, 'node_modules');
  await mkdir(join(modules, '@svc'), { recursive: true });
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    if (name !== '@svc') await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  }
  for (const [name, path] of own) if (name.startsWith('@svc/')) await symlink(path, join(modules, name));
}
