import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from '../account/account.ts';
import { barrierTo, openDirectory, WORKING_DIRECTORY } from '../account/reach.ts';
import { runProgram } from '../account/run.ts';
import { SETTINGS_FILE, writeConfiguration } from '../cluster/configuration.ts';
import { type Binaries, PACKAGED_MAJOR_VERSION } from '../cluster/programs.ts';
import { NEW_SETTINGS_FILE } from '../cluster/switch.ts';
import type { Layout } from '../directory/data-directory.ts';
import { EmbeddedError } from '../errors.ts';

/** The descriptor of the directory of the configuration in the program. */
const INHERITED = 3;

/** Each error of PostgreSQL in settings has the name of the parameter in this form. */
const REFUSED = /parameter "([^"]+)"/g;

/**
 * Prepares the operator's settings for a new cluster of the packaged PostgreSQL: a copy of `postgresql.conf` in which the
 * settings that this PostgreSQL refuses are comments. Returns the names of these settings. Without any, makes no copy.
 * Throws EmbeddedError if it refuses others, as in a file that `postgresql.conf` includes.
 */
export async function prepareSettings(
  layout: Layout,
  draft: Layout,
  binaries: Binaries,
  account: Account | undefined,
): Promise<readonly string[]> {
  let text = await readFile(join(layout.configDirectory, SETTINGS_FILE), 'utf8');
  const all: string[] = [];
  for (;;) {
    const file = all.length === 0 ? SETTINGS_FILE : NEW_SETTINGS_FILE;
    const errors = await check(layout, draft, binaries, account, file);
    if (errors === '') return all;
    const names = [...new Set([...errors.matchAll(REFUSED)].map(([, name = '']) => name))];
    const next = names.reduce(withoutSetting, text);
    if (next === text) {
      throw new EmbeddedError(
        `PostgreSQL ${PACKAGED_MAJOR_VERSION} refuses the settings in ${layout.configDirectory}. Correct them, then ` +
          `run the command again:\n${errors}`,
      );
    }
    text = next;
    all.push(...names);
    await writeConfiguration(layout, account, NEW_SETTINGS_FILE, text);
  }
}

/** Makes the lines that set a parameter comments. PostgreSQL compares names of parameters without case. */
function withoutSetting(text: string, name: string): string {
  const line = new RegExp(`^(?=[ \\t]*${RegExp.escape(name)}[ \\t=])`, 'gim');
  return text.replace(line, `# PostgreSQL ${PACKAGED_MAJOR_VERSION} refuses this setting: `);
}

/** What PostgreSQL writes about a file of settings. Empty if it accepts the file. Starts no server. */
async function check(
  layout: Layout,
  { pgdata }: Layout,
  { postgres }: Binaries,
  account: Account | undefined,
  name: string,
): Promise<string> {
  const reachable = (await barrierTo(layout.configDirectory, account)) === undefined;
  const directory = await open(layout.configDirectory, 'r');
  try {
    const file = join(reachable ? layout.configDirectory : openDirectory(INHERITED), name);
    const data = (await barrierTo(pgdata, account)) === undefined ? pgdata : WORKING_DIRECTORY;
    const args = ['-D', data, '-c', `config_file=${file}`, '-C', 'config_file'];
    const { code, output, errors } = await runProgram(postgres, args, {
      account,
      directory: pgdata,
      inherit: [directory.fd],
    });
    return code === 0 ? '' : `${errors}\n${output}`.trim() || `exit code ${code}`;
  } finally {
    await directory.close();
  }
}
