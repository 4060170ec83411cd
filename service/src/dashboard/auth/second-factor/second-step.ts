import type { Queryable } from '../../../database/lane.ts';
import { ApiError } from '../../../http/errors.ts';
import type { DashboardAuth } from '../index.ts';
import { resealFactor, type SealedFactor } from './sealed-factors.ts';
import { unseal } from './sealing-keys.ts';
import { stepOfCode } from './totp.ts';

const TOTP_STEP = '/two-factor/verify-totp';
/** The steps between a right password and a session; the first of them also ends the set-up of an authenticator. */
export const SECOND_STEPS = [TOTP_STEP, '/two-factor/verify-backup-code'] as const;
type SecondStep = (typeof SECOND_STEPS)[number];

/** better-auth's names for a code that is not right. */
export const WRONG_CODES: ReadonlySet<string> = new Set(['INVALID_CODE', 'INVALID_BACKUP_CODE']);

/** Whose second step this is, by the identifier in its cookie; undefined: nobody's, or the step has expired. */
export async function personOfStep(
  client: Queryable,
  identifier: string | undefined,
): Promise<string | undefined> {
  if (identifier === undefined) return undefined;
  const { rows } = await client.query<{ id: string }>(
    'select value as id from verifications where identifier = $1 and expires_at > now()',
    [identifier],
  );
  return rows[0]?.id;
}

/**
 * Makes sure that the person's second factor can be opened with the first secret, which is all that better-auth looks
 * for. Throws `conflict` when no secret opens it.
 */
export async function openFactor(
  pool: Queryable,
  auth: DashboardAuth,
  userId: string,
): Promise<SealedFactor | undefined> {
  const { rows } = await pool.query<SealedFactor>(
    'select id, user_id, secret, backup_codes from second_factors where user_id = $1',
    [userId],
  );
  const [factor] = rows;
  if (factor !== undefined && !(await resealFactor(pool, factor, auth.sealingKeys))) {
    throw new ApiError(
      'conflict',
      'This second factor was set up with a secret that the service does not have any more. Ask the operator to ' +
        'reset it (svcd user reset-second-factor), then set it up again.',
    );
  }
  return factor;
}

/**
 * Uses an authenticator's code up, on all nodes (RFC 6238, 5.2): false when this code, or a later one, was accepted
 * before. A code that is not right is left to better-auth.
 */
export async function useCode(
  pool: Queryable,
  auth: DashboardAuth,
  path: SecondStep,
  factor: SealedFactor,
  code: string,
): Promise<boolean> {
  if (path !== TOTP_STEP) return true;
  const secret = await unseal(factor.secret, auth.sealingKeys);
  const step = secret === undefined ? undefined : stepOfCode(secret, code, Date.now());
  if (step === undefined) return true;
  const { rowCount } = await pool.query(
    `update second_factors set last_used_step = $2
     where id = $1 and (last_used_step is null or last_used_step < $2)`,
    [factor.id, step],
  );
  return rowCount === 1;
}

export const usedCode = (): ApiError =>
  new ApiError('invalid_body', '"code" was used before. Each code works once: wait for the next one.');
