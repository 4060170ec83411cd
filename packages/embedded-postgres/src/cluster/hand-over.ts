import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Account, ADD_A_USER } from '../account/account.ts';
import { hasDescriptorPaths, openDirectory } from '../account/reach.ts';
import { EmbeddedError, hasCode } from '../errors.ts';

/** Without O_NONBLOCK, opening a pipe would wait for its other end. Pipes are refused after that. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Gives a directory and its content to another account. Fails if `from` does not own a file, on links, and on files
 * with several names: they could belong to others. Each file is opened before it is examined, on Linux through the
 * open parent directory, so that no other process can replace it in between.
 */
export async function handOver(path: string, from: Account, to: Account, reachedAs = path): Promise<void> {
  const file = await open(reachedAs, FLAGS).catch((error: unknown) => {
    throw hasCode(error, 'ELOOP') ? foreign(path, from) : error;
  });
  try {
    const found = await file.stat();
    const single = found.isDirectory() || (found.isFile() && found.nlink === 1);
    if (!single || found.uid !== from.uid) throw foreign(path, from);
    await file.chown(to.uid, to.gid).catch((error: unknown) => {
      if (!hasCode(error, 'EINVAL')) throw error;
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
    `${path} is a link, has several names, or does not belong to the user ${name}. Remove it, then start again.`,
  );
