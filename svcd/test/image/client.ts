import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from '@svc/service/harness/temporary-directory.ts';

const run = promisify(execFile);
const PROGRAM =
  "import { Svc } from '@svc/sdk'; for await (const { name } of new Svc().companies.list()) console.log(name);";

/**
 * Installs the client with npm into an empty folder, from the address that a running service shows, and lists the names of
 * the companies with the library and with the command line. Resolves with what they print.
 */
export async function installClient(
  url: string,
  token: string,
): Promise<{ readonly library: string; readonly command: string }> {
  const cwd = await temporaryDirectory();
  const page = await (await fetch(`${url}/docs/client.md`)).text();
  const [tarball = ''] = /http\S+\/docs\/svc-sdk-[\d.]+\.tgz/.exec(page) ?? [];
  // Without a package.json of its own, the folder would be part of a project above it.
  await run('npm', ['init', '--yes'], { cwd });
  await run('npm', ['install', '--no-audit', '--no-fund', tarball], { cwd });
  const env = { PATH: process.env['PATH'], SVC_API_KEY: token, SVC_BASE_URL: url };
  const library = await run(process.execPath, ['--input-type=module', '--eval', PROGRAM], { cwd, env });
  const program = join(cwd, 'node_modules/.bin/svc');
  const command = await run(program, ['companies', 'list', '--format', 'csv'], { cwd, env });
  const [, ...rows] = command.stdout.split('\n');
  return {
    library: library.stdout,
    command: rows.map((row) => row.replace(/^[^,]*,([^,]*),.*/, '$1')).join('\n'),
  };
}
