import { constants } from 'node:fs';
import { lstat, mkdir, open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from '../account/account.ts';
import type { Layout } from '../directory/data-directory.ts';
import { fileError, type Owner, openNew, setDirectory } from '../directory/files.ts';
import { EmbeddedError, hasCode } from '../errors.ts';

/** The settings of the operator, in the directory of the configuration. */
export const SETTINGS_FILE = 'postgresql.conf';

/** The settings that name the server's configuration files, and the names of these files. */
const CONFIGURATION_FILES = {
  config_file: SETTINGS_FILE,
  hba_file: 'pg_hba.conf',
  ident_file: 'pg_ident.conf',
} as const;

/** The content of `pg_hba.conf`. Every role needs its password. The superuser has no password, so it cannot connect. */
export const PASSWORD_ONLY = 'local all all scram-sha-256\n';

/** As root: only root may write, and the server's group may read. Otherwise only the current user may do either. */
const MODES = { root: { directory: 0o750, file: 0o640 }, own: { directory: 0o700, file: 0o600 } } as const;

/** For reading, without following a link or waiting for the other end of a pipe. */
const UNLINKED = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Writes the server's configuration next to its data, because the server can change its data but must not change who
 * may connect. `postgresql.conf` belongs to the operator: the first start copies it from the data, and later starts do
 * not change its content.
 */
export async function ensureConfiguration(layout: Layout, account: Account | undefined): Promise<void> {
  const directory = layout.configDirectory;
  try {
    await ensureOwnDirectory(
      directory,
      (account === undefined ? MODES.own : MODES.root).directory,
      await ownerOf(layout, account),
    );
    const settings = await readSettings(layout, account);
    const write = (name: string, content: string) => writeConfiguration(layout, account, name, content);
    if (settings === undefined) await shareSettings(layout, account);
    else await write(CONFIGURATION_FILES.config_file, settings);
    await write(CONFIGURATION_FILES.hba_file, PASSWORD_ONLY);
    await write(CONFIGURATION_FILES.ident_file, '');
  } catch (error) {
    if (error instanceof EmbeddedError) throw error;
    throw await fileError(`the directory ${directory} cannot be created`, directory, error);
  }
}

/** Writes or replaces a file in the directory of the configuration. */
export async function writeConfiguration(
  layout: Layout,
  account: Account | undefined,
  name: string,
  content: string,
): Promise<void> {
  const owner = await ownerOf(layout, account);
  const mode = (account === undefined ? MODES.own : MODES.root).file;
  const draft = join(layout.configDirectory, `${name}.new`);
  const file = await openNew(draft, mode);
  try {
    await file.writeFile(content);
    await file.chmod(mode);
    if (owner !== undefined) await file.chown(owner.uid, owner.gid);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, join(layout.configDirectory, name));
}

async function ownerOf({ dataDir }: Layout, account: Account | undefined): Promise<Owner | undefined> {
  return account === undefined ? undefined : { uid: (await stat(dataDir)).uid, gid: account.gid };
}

/** The settings that make the server read the files of this directory. */
export const configurationSettings = (
  directory: string,
  settingsFile: string = SETTINGS_FILE,
): readonly string[] =>
  Object.entries({ ...CONFIGURATION_FILES, config_file: settingsFile }).map(
    ([setting, name]) => `${setting}=${join(directory, name)}`,
  );

async function ensureOwnDirectory(path: string, mode: number, owner: Owner | undefined): Promise<void> {
  await mkdir(path, { mode }).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
  if (!(await lstat(path)).isDirectory()) throw new EmbeddedError(`${path} is not a directory. Remove it.`);
  await setDirectory(path, mode, owner);
}

/** The content for `postgresql.conf`, or undefined if the file exists. */
async function readSettings(layout: Layout, account: Account | undefined): Promise<string | undefined> {
  const name = CONFIGURATION_FILES.config_file;
  const present = await lstat(join(layout.configDirectory, name)).catch(() => undefined);
  if (present?.isFile() === true) return undefined;
  return readOwn(join(layout.pgdata, name), account);
}

/**
 * Lets the server's group read an existing `postgresql.conf`. The group is another one after the operator has given the data
 * to another user. In a data directory of another user, root changes only a file of that user: others could be hard links.
 */
async function shareSettings(layout: Layout, account: Account | undefined): Promise<void> {
  const owner = await ownerOf(layout, account);
  if (owner === undefined) return;
  const file = await open(join(layout.configDirectory, SETTINGS_FILE), UNLINKED);
  try {
    const found = await file.stat();
    if (!found.isFile() || found.uid !== owner.uid || found.nlink !== 1) return;
    await file.chown(owner.uid, owner.gid);
    await file.chmod(MODES.root.file);
  } finally {
    await file.close();
  }
}

/**
 * A file of the server's user. Empty if it is missing, or a link: root must not copy another user's file through one.
 */
async function readOwn(path: string, account: Account | undefined): Promise<string> {
  const uid = account?.uid ?? process.getuid?.();
  try {
    const file = await open(path, UNLINKED);
    try {
      const found = await file.stat();
      return found.isFile() && found.uid === uid && found.nlink === 1 ? await file.readFile('utf8') : '';
    } finally {
      await file.close();
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ELOOP')) return '';
    throw error;
  }
}
