import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { commandLines } from '../account/processes.ts';
import { EmbeddedError, hasCode } from '../errors.ts';
import type { Log } from '../log.ts';
import { createLinks } from './links.ts';

/** The first characters of an unfinished copy's name. */
const DRAFT = 'new-';
/** An unfinished copy that is older than this is abandoned. */
const LONGEST_COPY_MS = 3_600_000;
const EVERYBODY = { directory: 0o755, program: 0o755, file: 0o644 } as const;
const OWNER_EXECUTES = 0o100;
const OTHERS_WRITE = 0o022;

/**
 * Copies the folder `native` of a packaged PostgreSQL, with its links, unless this is done. Returns the copy. Only this user
 * can change it, and everybody can run it.
 */
export async function ensureCopy(native: string, copies: string, log: Log): Promise<string> {
  await mkdir(copies, { recursive: true, mode: EVERYBODY.directory });
  const found = await stat(copies);
  if (found.uid !== process.getuid?.() || (found.mode & OTHERS_WRITE) !== 0) {
    throw new EmbeddedError(
      `other users than the one of this program can write to ${copies}, where PostgreSQL is copied to. Remove it.`,
    );
  }
  await chmod(copies, EVERYBODY.directory);
  const target = join(copies, await versionOf(native));
  if (await isCopyOf(native, target)) return target;
  const draft = await mkdtemp(join(copies, DRAFT));
  try {
    await cp(native, draft, { recursive: true, verbatimSymlinks: true });
    await createLinks(draft);
    await openToEverybody(draft);
    // Another service may have finished its copy first.
    if (!(await isCopyOf(native, target))) {
      await rm(target, { recursive: true, force: true });
      await rename(draft, target);
    }
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
    if (!(await isCopyOf(native, target))) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  log.info(`copied PostgreSQL to ${target}, where its user can reach it`);
  await removeUnused(copies, basename(target));
  return target;
}

/** `linux-x64-18.4.0`: the package and its version. */
async function versionOf(native: string): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')) as {
    name: string;
    version: string;
  };
  return `${basename(name)}-${version}`;
}

/**
 * Whether a copy has all names of a tree, with their sizes. After a power cut a copied file can be too short. The copy may
 * have links that the tree lacks.
 */
async function isCopyOf(tree: string, copy: string): Promise<boolean> {
  const [expected, found] = await Promise.all([sizes(tree), sizes(copy)]);
  return [...expected].every(([path, size]) => found.get(path) === size);
}

async function sizes(root: string): Promise<ReadonlyMap<string, number>> {
  const names = await readdir(root, { recursive: true }).catch(() => []);
  const entries = names.map(async (name) => {
    const found = await stat(join(root, name)).catch(() => undefined);
    return [name, found?.isFile() === true ? found.size : 0] as const;
  });
  return new Map(await Promise.all(entries));
}

/** Lets everyone read and run the copy, whatever umask npm used. */
async function openToEverybody(root: string): Promise<void> {
  await chmod(root, EVERYBODY.directory);
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, EVERYBODY.directory);
    else if (entry.isFile()) {
      const { mode } = await stat(path);
      await chmod(path, (mode & OWNER_EXECUTES) === 0 ? EVERYBODY.file : EVERYBODY.program);
    }
  }
}

/** Removes the copies of other versions that no server runs from. */
async function removeUnused(copies: string, keep: string): Promise<void> {
  const running = await commandLines();
  for (const name of await readdir(copies)) {
    const path = join(copies, name);
    const used = name === keep || running.some((file) => file.startsWith(`${path}/`));
    if (used || (name.startsWith(DRAFT) && !(await isOld(path)))) continue;
    await rm(path, { recursive: true, force: true });
  }
}

/** Whether this unfinished copy is abandoned. */
async function isOld(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > LONGEST_COPY_MS;
}
