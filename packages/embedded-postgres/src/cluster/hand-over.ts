import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Account, ADD_A_USER } from '../account/account.ts';
import { hasDescriptorPaths, openDirectory } from '../account/reach.ts';
import { EmbeddedError, errorCode } from '../errors.ts';

/** A pipe is opened without waiting for its other end, and then refused. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Gives a directory with all that is in it to another account. Fails on what `from` does not own, on links and on files
 * with several names: they could be files of others. Everything is opened before it is looked at, and on Linux below
 * the open directory above it, so that nobody can put something else in its place meanwhile.
 */
export async function handOver(path: string, from: Account, to: Account, reachedAs = path): Promise<void> {
  const file = await open(reachedAs, FLAGS).catch((error: unknown) => {
    throw errorCode(error) === 'ELOOP' ? foreign(path, from) : error;
  });
  try {
    const found = await file.stat();
    const single = found.isDirectory() || (found.isFile() && found.nlink === 1);
    if (!single || found.uid !== from.uid) throw foreign(path, from);
    await file.chown(to.uid, to.gid).catch((error: unknown) => {
      if (errorCode(error) !== 'EINVAL') throw error;
      throw new EmbeddedError(`this container has no user id ${to.uid}. ${ADD_A_USER}`, { cause: error });
    });
    if (!found.isDirectory()) return;
    const directory = hasDescriptorPaths ? openDirectory(file.fd) : reachedAs;
    for (const name of await readdir(directory))
      await handOver(join(path, name), from, to, join(directory, name));
  } finally {
    await file.close();
  }
}

const foreign = (path: string, { name }: Account): EmbeddedError =>
  new EmbeddedError(
    `${path} is not a file that only the user ${name} has made. Remove it, then start again.`,
  );
