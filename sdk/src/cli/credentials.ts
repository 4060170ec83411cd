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

/** What `svc login` stored, by the names of the profiles. */
export type Profiles = ReadonlyMap<string, Credentials>;

/** The profile that is used if none is named. */
export const DEFAULT_PROFILE = 'default';

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
 * Returns the stored profiles. Prints a warning if other users may read the file. Throws {@link SvcError} if the file
 * cannot be read or is damaged.
 */
export async function readProfiles(io: Io): Promise<Profiles> {
  const path = credentialsFile(io.env);
  const text = await readStored(path);
  if (text === undefined) return new Map();
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

/** The text of the file; undefined if there is none. */
const readStored = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new SvcError(`${path} cannot be read: ${error.message}`, { cause: error });
  });

/** The profiles in a text; undefined if it is damaged. The default one is where older versions expect it. */
function parse(text: string): Profiles | undefined {
  try {
    const { profiles = {}, ...byDefault } = JSON.parse(text);
    const entries = Object.entries<unknown>({ ...profiles, [DEFAULT_PROFILE]: byDefault });
    const found = entries.filter(([, one]) => Object.keys(Object(one)).length > 0);
    return new Map(found.map(([name, one]) => [name, credentialsOf(one)]));
  } catch {
    return undefined;
  }
}

function credentialsOf(value: unknown): Credentials {
  const { apiKey, baseUrl }: Partial<Readonly<Record<string, unknown>>> = Object(value);
  if (typeof apiKey === 'string' && typeof baseUrl === 'string') return { apiKey, baseUrl };
  throw new TypeError('no credentials');
}

/**
 * Stores a profile in a file that only this user may read, and returns its path. The file is replaced atomically. A damaged
 * file is replaced as a whole.
 */
export async function writeProfile(
  env: Environment,
  profile: string,
  credentials: Credentials,
): Promise<string> {
  const path = credentialsFile(env);
  const text = await readStored(path);
  await writeProfiles(path, new Map(parse(text ?? '{}')).set(profile, credentials));
  return path;
}

/** Removes a profile, or all of them. Resolves with false if there was none. */
export async function removeProfile(env: Environment, profile: string | undefined): Promise<boolean> {
  const path = credentialsFile(env);
  const text = await readStored(path);
  if (text === undefined) return false;
  const left = new Map(profile === undefined ? undefined : parse(text));
  if (profile !== undefined && parse(text) !== undefined && !left.delete(profile)) return false;
  if (left.size > 0) await writeProfiles(path, left);
  else await rm(path);
  return true;
}

async function writeProfiles(path: string, all: Profiles): Promise<void> {
  const profiles = new Map(all);
  profiles.delete(DEFAULT_PROFILE);
  const others = profiles.size === 0 ? {} : { profiles: Object.fromEntries(profiles) };
  const text = JSON.stringify({ ...all.get(DEFAULT_PROFILE), ...others }, null, 2);
  await mkdir(dirname(path), { recursive: true, mode: DIRECTORY_MODE });
  const temporary = `${path}.${process.pid}`;
  await rm(temporary, { force: true });
  await writeFile(temporary, `${text}\n`, { mode: FILE_MODE, flag: 'wx' });
  await rename(temporary, path);
}
