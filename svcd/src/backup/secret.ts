import { open, readFile } from 'node:fs/promises';
import { keepOwner } from '@svc/embedded-postgres';
import type { Config } from '@svc/service/config/config';
import { errorCode, errorMessage, OperatorError } from '@svc/service/config/errors';
import { secretFileOf } from '@svc/service/server/secrets/file';
import type { BackupDetails } from './schema.ts';

const PRIVATE = 0o600;

/** What a restore does with the secret of a backup. */
export interface SecretPlan {
  /** Throws OperatorError if the backup has a secret for which there is no place. Before anything is restored. */
  readonly accept: (details: BackupDetails) => Promise<void>;
  /** Writes the secret, when everything else is restored. */
  readonly write: (details: BackupDetails) => Promise<void>;
  /** What the operator must do now. */
  readonly advice: () => string;
}

/** `file`: where the operator wants it. */
export function planSecret(
  config: Pick<Config, 'secrets' | 'dataDir'>,
  file: string | undefined,
): SecretPlan {
  const place = file ?? secretFileOf(config.dataDir);
  let advice = '';
  let pending: string | undefined;
  return {
    async accept({ secrets }) {
      if (secrets === undefined) {
        advice =
          config.secrets === undefined
            ? `The backup does not contain the secret. Put that of the original into ${place} (mode 0600) before you start the service.`
            : 'The backup does not contain the secret. SVC_SECRET must be the secret of the original service: its SVC_SECRET, or the content of the file secret in its data directory.';
        if (file !== undefined)
          throw new OperatorError('the backup does not contain a secret for --secret-file');
        return;
      }
      if (file === undefined && config.secrets !== undefined) {
        if (!secrets.every((secret) => config.secrets?.includes(secret)))
          throw new OperatorError(
            'SVC_SECRET is not the secret in the backup. To get that, repeat the command with --secret-file FILE.',
          );
        advice = 'SVC_SECRET is the secret of the backup.';
        return;
      }
      if (file === undefined && secrets.length > 1)
        throw new OperatorError(
          'the backup contains several secrets, of a rotation: repeat the command with --secret-file FILE.',
        );
      const found = await contentOf(place);
      if (found === secrets.join(',')) {
        advice = `${place} contains the secret of the backup.`;
        return;
      }
      if (found !== undefined)
        throw new OperatorError(
          `${place} exists, and is not the secret of the backup. Remove it, or repeat the command with --secret-file FILE.`,
        );
      pending = secrets.join(',');
      advice =
        file === undefined
          ? `Wrote the secret to ${place}.`
          : `Wrote the secret to ${file}. Start the service with SVC_SECRET="$(cat ${file})".`;
    },
    async write() {
      if (pending === undefined) return;
      await createPrivate(place, `${pending}\n`, file === undefined ? config.dataDir : undefined);
    },
    advice: () => advice,
  };
}

/** Without white space at its end. Undefined if there is no file. */
async function contentOf(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trimEnd();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new OperatorError(`${path} cannot be read: ${errorMessage(error)}`, { cause: error });
  }
}

/** `dataDir`: whose owner gets the file. */
async function createPrivate(path: string, text: string, dataDir: string | undefined): Promise<void> {
  try {
    const file = await open(path, 'wx', PRIVATE);
    try {
      if (dataDir !== undefined) await keepOwner(file, dataDir);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new OperatorError(`the secret cannot be written to ${path}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}
