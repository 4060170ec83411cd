import type { Queryable } from '../../../database/lane.ts';
import { reseal, type SealingKey, sealingKeys } from './sealing-keys.ts';

/** The authenticator secrets and backup codes in the database, and the deployment secrets they are sealed with. */

export interface SealedFactor {
  readonly id: string;
  readonly user_id: string;
  readonly secret: string;
  readonly backup_codes: string;
}

export interface FactorSecrets {
  /** Second factors that only an older one of the secrets opens. */
  readonly old: number;
  /** E-mail addresses of people whose second factor none of the secrets opens. */
  readonly lost: readonly string[];
}

const PAGE_ROWS = 500;

/** Seals every second factor with the first secret. What none of the secrets opens stays as it is. */
export async function resealSecondFactors(
  pool: Queryable,
  secrets: readonly string[],
  signal?: AbortSignal,
): Promise<number> {
  const keys = sealingKeys(secrets);
  let resealed = 0;
  for await (const factor of factorsOfOtherKeys(pool, keys)) {
    if (signal?.aborted === true) break;
    if (await resealFactor(pool, factor, keys)) resealed++;
  }
  return resealed;
}

/** Says whether the factor can be opened, and seals it with the first key if it is sealed with another one. */
export async function resealFactor(
  pool: Queryable,
  factor: SealedFactor,
  keys: readonly SealingKey[],
): Promise<boolean> {
  const [secret, codes] = await Promise.all([reseal(factor.secret, keys), reseal(factor.backup_codes, keys)]);
  if (secret === undefined || codes === undefined) return false;
  if (secret !== factor.secret || codes !== factor.backup_codes) {
    // A backup code that is used at this moment changes the row; the next round seals what is there then.
    await pool.query(
      `update second_factors set secret = $2, backup_codes = $3
       where id = $1 and secret = $4 and backup_codes = $5`,
      [factor.id, secret, codes, factor.secret, factor.backup_codes],
    );
  }
  return true;
}

/** Which second factors depend on an older secret, and which on none of these. Changes nothing. */
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
  const { rows } = await pool.query<{ email: string }>(
    'select email from users where id = any($1) order by email',
    [lostUsers],
  );
  return { old, lost: rows.map(({ email }) => email) };
}

/** The second factors that are not sealed with the first key as a whole. */
async function* factorsOfOtherKeys(
  pool: Queryable,
  keys: readonly SealingKey[],
): AsyncGenerator<SealedFactor, void> {
  const prefix = `$ba$${keys[0]?.version}$`;
  for (let after = ''; ; ) {
    const { rows } = await pool.query<SealedFactor>(
      `select id, user_id, secret, backup_codes from second_factors
       where id > $1 and not (starts_with(secret, $2) and starts_with(backup_codes, $2))
       order by id limit $3`,
      [after, prefix, PAGE_ROWS],
    );
    yield* rows;
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1)?.id ?? '';
  }
}
