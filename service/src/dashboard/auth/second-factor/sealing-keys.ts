import { parseEnvelope, symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto';
import { deriveKey, fingerprintOf } from '../../../config/secrets.ts';

/**
 * better-auth's keys, one per deployment secret. better-auth writes the version of the key next to what it encrypts, so
 * the version follows from the secret: after a rotation it still names the same key.
 */
export interface SealingKey {
  readonly version: number;
  readonly value: string;
}

/** Release 0.1.0 wrote this version, whatever the secret was. */
export const UNNAMED_VERSION = 1;

const VERSION_HEX_DIGITS = 12;

/** The keys of these secrets, in their order: the first one seals, all of them open. */
export const sealingKeys = (secrets: readonly string[]): readonly SealingKey[] =>
  [...new Set(secrets)].map((secret) => ({
    version: Number.parseInt(fingerprintOf(secret).slice(0, VERSION_HEX_DIGITS), 16),
    value: deriveKey(secret, 'dashboard sessions').toString('base64url'),
  }));

/** The text that a sealed value holds; undefined when none of the keys opens it. */
export async function unseal(sealed: string, keys: readonly SealingKey[]): Promise<string | undefined> {
  const envelope = parseEnvelope(sealed);
  if (envelope === null) return undefined;
  const { version, ciphertext } = envelope;
  const candidates = keys.filter((key) => version === UNNAMED_VERSION || version === key.version);
  for (const { value } of candidates) {
    try {
      return await symmetricDecrypt({ key: value, data: ciphertext });
    } catch {
      // Sealed with another key.
    }
  }
  return undefined;
}

/** The value sealed with the first key; undefined when none of the keys opens it. */
export async function reseal(sealed: string, keys: readonly SealingKey[]): Promise<string | undefined> {
  const [first] = keys;
  if (first === undefined) throw new Error('Sealing needs at least one key.');
  const data = await unseal(sealed, keys);
  if (data === undefined) return undefined;
  if (parseEnvelope(sealed)?.version === first.version) return sealed;
  const key = { keys: new Map([[first.version, first.value]]), currentVersion: first.version };
  return symmetricEncrypt({ key, data });
}
