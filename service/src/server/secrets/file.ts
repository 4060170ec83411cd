import { randomBytes, randomUUID } from 'node:crypto';
import { link, open, readFile, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileError, keepOwner } from '@svc/embedded-postgres';
import { errorCode, OperatorError } from '../../config/errors.ts';
import { SECRET_MIN_CHARACTERS } from '../../config/limits.ts';

const SECRET_BYTES = 32;
const PRIVATE = 0o600;
const OTHERS = 0o077;

export const secretFileOf = (dataDir: string): string => resolve(dataDir, 'secret');

export interface SecretFile {
  readonly secret: string;
  /** Whether other users can read or write the file. */
  readonly exposed: boolean;
}

/** Reads the secret; undefined if it does not exist yet. */
export async function readSecretFile(dataDir: string): Promise<SecretFile | undefined> {
  const path = secretFileOf(dataDir);
  try {
    const [text, { mode }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
    const secret = text.trim();
    if (secret.length < SECRET_MIN_CHARACTERS) {
      throw new OperatorError(
        `${path} does not hold a secret of at least ${SECRET_MIN_CHARACTERS} characters. Restore it from a backup: ` +
          'without the old secret no API key works.',
      );
    }
    return { secret, exposed: (mode & OTHERS) !== 0 };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    if (error instanceof OperatorError) throw error;
    throw await fileError(`${path} cannot be read`, path, error);
  }
}

/** Creates the secret file and returns its content. If several processes call it at the same time, all get one secret. */
export async function createSecretFile(dataDir: string): Promise<SecretFile> {
  const path = secretFileOf(dataDir);
  const draft = `${path}.${randomUUID()}`;
  try {
    const file = await open(draft, 'w', PRIVATE);
    try {
      await keepOwner(file, dataDir);
      await file.writeFile(`${randomBytes(SECRET_BYTES).toString('base64url')}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    // Unlike a rename, a link never replaces a file, and the file is complete when its name appears.
    await link(draft, path).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
  } catch (error) {
    throw await fileError(`${path} cannot be written`, dataDir, error);
  } finally {
    await rm(draft, { force: true });
  }
  const created = await readSecretFile(dataDir);
  if (created === undefined) throw new OperatorError(`${path} was removed while this program started.`);
  return created;
}
