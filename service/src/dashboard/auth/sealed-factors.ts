import { deriveKey, fingerprintOf } from '@svc/deployment-secrets';
import type { Queryable } from '@svc/turns/lane';
import { parseEnvelope, symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto';
import { attemptsForEach } from '../../database/errors.ts';
import { pagesOf } from '../../database/pages.ts';
import { statement } from '../../database/statement.ts';

/** The authenticator secrets and backup codes in the database, and the keys that encrypt them. */

/**
 * better-auth's encryption keys, one per deployment secret. better-auth stores the version of the key with each value. The
 * version is derived from the secret, so it still names the same key after a rotation.
 */
export interface SealingKey {
  readonly version: number;
  readonly value: string;
}

/** Release 0.1.0 stored this version for every secret. */
export const UNNAMED_VERSION = 1;

const VERSION_HEX_DIGITS = 12;

/** The keys of the secrets, in their order. The first one encrypts, all of them decrypt. */
export const sealingKeys = (secrets: readonly string[]): readonly SealingKey[] =>
  [...new Set(secrets)].map((secret) => ({
    version: Number.parseInt(fingerprintOf(secret).slice(0, VERSION_HEX_DIGITS), 16),
    value: deriveKey(secret, 'dashboard sessions').toString('base64url'),
  }));

/** Decrypts a value. Undefined if none of the keys decrypts it. */
export async function unseal(sealed: string, keys: readonly SealingKey[]): Promise<string | undefined> {
  const envelope = parseEnvelope(sealed);
  if (envelope === null) return undefined;
  const { version, ciphertext } = envelope;
  const candidates = keys.filter((key) => version === UNNAMED_VERSION || version === key.version);
  for (const { value } of candidates) {
    try {
      return await symmetricDecrypt({ key: value, data: ciphertext });
    } catch {
      // Encrypted with another key.
    }
  }
  return undefined;
}

/** The value encrypted with the first key. Undefined if none of the keys decrypts it. */
async function reseal(sealed: string, keys: readonly SealingKey[]): Promise<string | undefined> {
  const [first] = keys;
  if (first === undefined) throw new Error('Encryption needs at least one key.');
  const data = await unseal(sealed, keys);
  if (data === undefined) return undefined;
  if (parseEnvelope(sealed)?.version === first.version) return sealed;
  const key = { keys: new Map([[first.version, first.value]]), currentVersion: first.version };
  return symmetricEncrypt({ key, data });
}

export interface SealedFactor {
  readonly id: string;
  readonly user_id: string;
  readonly secret: string;
  readonly backup_codes: string;
}

export interface FactorSecrets {
  /** Number of second factors that only an older secret decrypts. */
  readonly old: number;
  /** Email addresses of people whose second factor no secret decrypts. */
  readonly lost: readonly string[];
}

const PAGE_ROWS = 500;

/**
 * Encrypts every second factor with the first secret; returns their number. Skips those that no secret decrypts. If it fails
 * for one, it encrypts the others, and throws at the end.
 */
export async function resealSecondFactors(
  pool: Queryable,
  secrets: readonly string[],
  signal?: AbortSignal,
): Promise<number> {
  const keys = sealingKeys(secrets);
  const attempts = attemptsForEach();
  let resealed = 0;
  for await (const factor of factorsOfOtherKeys(pool, keys)) {
    if (signal?.aborted === true) break;
    if (await attempts.of(factor.id, () => resealFactor(pool, factor, keys))) resealed++;
  }
  attempts.end();
  return resealed;
}

const updateFactor = statement('reseal_second_factor', 'request')`
  update second_factors set secret = $2, backup_codes = $3
  where id = $1 and secret = $4 and backup_codes = $5`;

/** Encrypts a factor with the first key, unless it already is. Returns whether one of the keys decrypts it. */
export async function resealFactor(
  pool: Queryable,
  factor: SealedFactor,
  keys: readonly SealingKey[],
): Promise<boolean> {
  const [secret, codes] = await Promise.all([reseal(factor.secret, keys), reseal(factor.backup_codes, keys)]);
  if (secret === undefined || codes === undefined) return false;
  if (secret !== factor.secret || codes !== factor.backup_codes) {
    // A backup code that is used at the same time changes the row. The next round encrypts the new value.
    await pool.query(updateFactor(factor.id, secret, codes, factor.secret, factor.backup_codes));
  }
  return true;
}

const selectEmails = statement('emails_of_users', 'bulk')`
  select email from users where id = any($1)`;

/** Finds the second factors that need an older secret or an unknown one. Changes nothing. */
export async function examineSecondFactors(
  pool: Queryable,
  secrets: readonly string[],
): Promise<FactorSecrets> {
  const keys = sealingKeys(secrets);
  let old = 0;
  const lostUsers: string[] = [];
  for await (const factor of factorsOfOtherKeys(pool, keys)) {
    const opened = await Promise.all([reseal(factor.secret, keys), reseal(factor.backup_codes, keys)]);
    if (opened.includes(undefined)) lostUsers.push(factor.user_id);
    else old++;
  }
  const { rows } = await pool.query<{ email: string }>(selectEmails(lostUsers));
  return { old, lost: rows.map(({ email }) => email).toSorted() };
}

const selectFactors = statement(
  'second_factors_of_other_keys',
  'background: a job reads all second factors, page by page',
)`
  select id, user_id, secret, backup_codes from second_factors
  where id > $1 and not (starts_with(secret, $2) and starts_with(backup_codes, $2))
  order by id limit $3`;

/** The second factors that the first key has not encrypted completely. */
async function* factorsOfOtherKeys(
  pool: Queryable,
  keys: readonly SealingKey[],
): AsyncGenerator<SealedFactor, void> {
  const prefix = `$ba$${keys[0]?.version}$`;
  const pages = pagesOf<SealedFactor>(PAGE_ROWS, (last) =>
    pool.query(selectFactors(last?.id ?? '', prefix, PAGE_ROWS)),
  );
  for await (const rows of pages) yield* rows;
}
