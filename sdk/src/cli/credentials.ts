import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { containsToken } from '../contract/index.ts';
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
 * Returns the stored profiles. Prints a warning for each profile that is damaged, and if other users may read the file.
 * Throws {@link SvcError} if the file cannot be read or is damaged as a whole.
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
  const entries = parse(text);
  if (entries === undefined) throw new SvcError(`${path} is damaged. Run svc login again.`);
  const profiles = new Map<string, Credentials>();
  for (const [name, entry] of entries) {
    const credentials = credentialsOf(entry);
    if (credentials !== undefined) profiles.set(name, credentials);
    else await printMessage(io, `svc: warning: ${damageOf(path, name)}`);
  }
  return profiles;
}

/** Does not repeat a name that has a key: a damaged file may have one at any place. */
function damageOf(path: string, name: string): string {
  if (containsToken(name)) return `A profile in ${path} is damaged.`;
  const option = name === DEFAULT_PROFILE ? '' : ` --profile ${name}`;
  return `The profile ${name} in ${path} is damaged. Run svc login${option} again.`;
}

/** The text of the file; undefined if there is none. */
const readStored = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new SvcError(`${path} cannot be read: ${error.message}`, { cause: error });
  });

/** The entries of a file by the names of their profiles. A damaged entry stays in the file as it is. */
type Entries = ReadonlyMap<string, unknown>;

/** The entries in a text; undefined if it is damaged as a whole. The default one is where older versions expect it. */
function parse(text: string): Entries | undefined {
  const stored = objectIn(text);
  if (stored === undefined) return undefined;
  const { profiles = {}, ...byDefault } = stored;
  if (!isObject(profiles)) return undefined;
  const entries = Object.entries({
    ...profiles,
    ...(isEmpty(byDefault) ? {} : { [DEFAULT_PROFILE]: byDefault }),
  });
  return new Map(entries.filter(([, entry]) => !isEmpty(entry)));
}

/** The object in a text of JSON; undefined if it has none. */
function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // The error quotes the text, which may have a key.
    return undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEmpty = (entry: unknown): boolean => Object.keys(Object(entry)).length === 0;

function credentialsOf(entry: unknown): Credentials | undefined {
  const { apiKey, baseUrl }: Partial<Readonly<Record<string, unknown>>> = Object(entry);
  return typeof apiKey === 'string' && typeof baseUrl === 'string' ? { apiKey, baseUrl } : undefined;
}

/** What became of the file. */
interface Changed {
  readonly path: string;
  /** Path of the copy of the file; undefined unless it was damaged as a whole. */
  readonly copy: string | undefined;
}

/**
 * Stores a profile in a file that only this user may read. The file is replaced atomically. If it is damaged as a whole,
 * it is copied first.
 */
export async function writeProfile(
  env: Environment,
  profile: string,
  credentials: Credentials,
): Promise<Changed> {
  const path = credentialsFile(env);
  const entries = parse((await readStored(path)) ?? '{}');
  const copy = entries === undefined ? await copyDamaged(path) : undefined;
  await writeEntries(path, new Map(entries).set(profile, credentials));
  return { path, copy };
}

/**
 * Removes a profile, or all of them with the file. Resolves with undefined if there was none. To remove a profile from a
 * file that is damaged as a whole, it copies the file, then removes it.
 */
export async function removeProfile(
  env: Environment,
  profile: string | undefined,
): Promise<Changed | undefined> {
  const path = credentialsFile(env);
  const text = await readStored(path);
  if (text === undefined) return undefined;
  const entries = parse(text);
  const left = new Map(profile === undefined ? undefined : entries);
  if (profile !== undefined && entries !== undefined && !left.delete(profile)) return undefined;
  const copy = profile !== undefined && entries === undefined ? await copyDamaged(path) : undefined;
  if (left.size > 0) await writeEntries(path, left);
  else await rm(path);
  return { path, copy };
}

/** Copies the file to a new one next to it that only this user may read, and returns the path of the copy. */
async function copyDamaged(path: string): Promise<string> {
  const bytes = await readFile(path);
  for (let number = 1; ; number += 1) {
    const copy = `${path}.damaged${number === 1 ? '' : `-${number}`}`;
    try {
      await writeFile(copy, bytes, { mode: FILE_MODE, flag: 'wx' });
      return copy;
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EEXIST';

async function writeEntries(path: string, all: Entries): Promise<void> {
  const entries = new Map(all);
  entries.delete(DEFAULT_PROFILE);
  const others = entries.size === 0 ? {} : { profiles: Object.fromEntries(entries) };
  const text = JSON.stringify({ ...Object(all.get(DEFAULT_PROFILE)), ...others }, null, 2);
  await mkdir(dirname(path), { recursive: true, mode: DIRECTORY_MODE });
  const temporary = `${path}.${process.pid}`;
  await rm(temporary, { force: true });
  await writeFile(temporary, `${text}\n`, { mode: FILE_MODE, flag: 'wx' });
  await rename(temporary, path);
}
