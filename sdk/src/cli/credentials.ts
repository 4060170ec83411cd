import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { SvcError } from '../errors.ts';
import { type Io, printMessage } from './io.ts';

/** An API key and the address of its service. The key is never sent to another address. */
export interface Credentials {
  readonly apiKey: string;
  readonly baseUrl: string;
}

const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;
const OTHER_USERS_MODE = 0o077;

type Environment = Io['env'];

/** Path of `svc/config.json` in the user's configuration directory (XDG). */
export function credentialsFile(env: Environment): string {
  const config = env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config');
  return join(config, 'svc', 'config.json');
}

/**
 * Returns what `svc login` stored; undefined if nothing is stored. Prints a warning if other users may read the file.
 * Throws {@link SvcError} if the file cannot be read or is damaged.
 */
export async function readCredentials(io: Io): Promise<Credentials | undefined> {
  const path = credentialsFile(io.env);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new SvcError(`${path} cannot be read: ${error.message}`, { cause: error });
  });
  if (text === undefined) return undefined;
  if (process.platform !== 'win32' && ((await stat(path)).mode & OTHER_USERS_MODE) !== 0) {
    await printMessage(
      io,
      `svc: warning: other users can read ${path}, which contains an API key. Run: chmod 600 ${path}`,
    );
  }
  const stored = parse(text);
  if (stored === undefined) throw new SvcError(`${path} is damaged. Run svc login again.`);
  return stored;
}

function parse(text: string): Credentials | undefined {
  try {
    const { apiKey, baseUrl } = JSON.parse(text);
    return typeof apiKey === 'string' && typeof baseUrl === 'string' ? { apiKey, baseUrl } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Stores credentials in a file that only this user may read, and returns its path. The file is replaced atomically.
 */
export async function writeCredentials(env: Environment, credentials: Credentials): Promise<string> {
  const path = credentialsFile(env);
  await mkdir(dirname(path), { recursive: true, mode: DIRECTORY_MODE });
  const temporary = `${path}.${process.pid}`;
  await rm(temporary, { force: true });
  await writeFile(temporary, `${JSON.stringify(credentials, null, 2)}\n`, { mode: FILE_MODE, flag: 'wx' });
  await rename(temporary, path);
  return path;
}

/** Removes the stored credentials. Resolves with false if there were none. */
export async function removeCredentials(env: Environment): Promise<boolean> {
  try {
    await rm(credentialsFile(env));
    return true;
  } catch {
    return false;
  }
}
