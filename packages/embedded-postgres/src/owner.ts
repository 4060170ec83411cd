import { stat } from 'node:fs/promises';
import { type Account, accountName, serverAccount } from './account.ts';
import { EmbeddedError, errorCode } from './error.ts';
import { fileError } from './files.ts';
import type { Layout } from './layout.ts';

/**
 * The user that the server of this data directory runs as, or undefined for the current one. A cluster that is
 * there decides: PostgreSQL runs as the owner of its files and as nobody else.
 */
export async function clusterAccount(layout: Layout): Promise<Account | undefined> {
  const owner = await ownerOf(layout.pgdata);
  const self = process.getuid?.();
  if (owner === undefined) return serverAccount();
  if (owner.uid === self && self !== 0) return undefined;
  if (self !== 0) {
    throw new EmbeddedError(
      `${layout.pgdata} belongs to the user ${owner.name}. Start this program as that user or as root, ` +
        `or give the data to this one: chown -R ${accountName(self ?? 0)} ${layout.dataDir}`,
    );
  }
  if (owner.uid !== 0) return owner;
  throw new EmbeddedError(
    `${layout.pgdata} belongs to root, and PostgreSQL does not run as root. ` +
      `Give it to another user: chown -R ${serverAccount()?.name} ${layout.pgdata}`,
  );
}

async function ownerOf(path: string): Promise<Account | undefined> {
  try {
    const found = await stat(path);
    // A file in its place is refused where the cluster is looked for.
    if (!found.isDirectory()) return undefined;
    return { name: accountName(found.uid), uid: found.uid, gid: found.gid };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw await fileError(`${path} cannot be read`, path, error);
  }
}
