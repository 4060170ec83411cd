import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey, fingerprintOf } from './index.ts';

/** Where a secret is stored. It opens only there. */
interface SealContext {
  readonly workspaceId: string;
  readonly endpointId: string;
}

/** Seals the secrets of endpoints, so that a copy of the database shows none. */
export interface SecretSealer {
  seal(secret: string, context: SealContext): string;
  /** Returns the secret. Undefined if no secret of the deployment opens it, or if it was sealed for another endpoint. */
  open(sealed: string, context: SealContext): string | undefined;
  /** Begins every text that the first secret of the deployment has sealed. */
  readonly prefix: string;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NAME_HEX_DIGITS = 12;

/** Names the key of a secret of the deployment. A sealed secret begins with it and a point. */
export const sealingKeyName = (secret: string): string => fingerprintOf(secret).slice(0, NAME_HEX_DIGITS);

/**
 * A sealed secret is the name of the key, a point, and base64url of: random nonce, AES-256-GCM with where it is stored as
 * associated data. The first secret of the deployment seals, all of them open.
 */
export function createSecretSealer(secrets: readonly string[]): SecretSealer {
  const keys = secrets.map((secret) => ({
    name: sealingKeyName(secret),
    key: deriveKey(secret, 'webhook secrets'),
  }));
  const [first] = keys;
  if (first === undefined) throw new Error('Sealing needs at least one secret.');
  return {
    prefix: `${first.name}.`,
    seal(secret, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, first.key, nonce).setAAD(contextText(context));
      const sealed = Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
      return `${first.name}.${sealed.toString('base64url')}`;
    },
    open(text, context) {
      const [name, base64 = ''] = text.split('.');
      const sealed = Buffer.from(base64, 'base64url');
      for (const { key } of keys.filter((one) => one.name === name)) {
        try {
          const nonce = sealed.subarray(0, NONCE_BYTES);
          const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
          decipher.setAAD(contextText(context)).setAuthTag(sealed.subarray(-TAG_BYTES));
          const opened = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
          return Buffer.concat([opened, decipher.final()]).toString();
        } catch {
          // Damaged, or sealed for another endpoint.
        }
      }
      return undefined;
    },
  };
}

const contextText = ({ workspaceId, endpointId }: SealContext): Buffer =>
  Buffer.from(`${workspaceId} ${endpointId}`);
