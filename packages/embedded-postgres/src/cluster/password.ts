import { randomBytes } from 'node:crypto';
import { link, readFile, rm } from 'node:fs/promises';
import type { Layout } from '../directory/data-directory.ts';
import { fileError, keepOwner, openNew } from '../directory/files.ts';
import { EmbeddedError, hasCode } from '../errors.ts';

const PASSWORD_BYTES = 24;
const OWNER_ONLY = 0o600;

/** The password of the service's role. Creates one if there is none. Concurrent starts get the same password. */
export async function ensurePassword(layout: Layout): Promise<string> {
  const present = await readPassword(layout);
  if (present !== undefined) return present;
  const draft = `${layout.passwordFile}.${process.pid}`;
  try {
    const file = await openNew(draft, OWNER_ONLY);
    try {
      await keepOwner(file, layout.dataDir);
      await file.write(`${randomBytes(PASSWORD_BYTES).toString('hex')}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    // A link appears with its whole content, and never replaces a file. So of two starts, the second one reads the password
    // of the first.
    await link(draft, layout.passwordFile).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
  } catch (error) {
    throw await fileError(`${layout.passwordFile} cannot be written`, layout.dataDir, error);
  } finally {
    await rm(draft, { force: true });
  }
  return requirePassword(layout);
}

/** The password of an existing cluster. Fails if it is missing. */
export async function requirePassword(layout: Layout): Promise<string> {
  const password = await readPassword(layout);
  if (password !== undefined) return password;
  throw new EmbeddedError(
    `${layout.passwordFile} is missing: it holds the password of the database in ${layout.pgdata}. ` +
      'Restore it from the backup that the database was restored from.',
  );
}

async function readPassword(layout: Layout): Promise<string | undefined> {
  try {
    return (await readFile(layout.passwordFile, 'utf8')).trim() || undefined;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw await fileError(`${layout.passwordFile} cannot be read`, layout.dataDir, error);
  }
}
