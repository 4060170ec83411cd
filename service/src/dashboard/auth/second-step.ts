import { createHmac } from 'node:crypto';
import type { Queryable } from '@svc/turns/lane';
import type { FastifyRequest } from 'fastify';
import { type BoundStatement, statement } from '../../database/statement.ts';
import { ApiError } from '../../http/errors.ts';
import type { DashboardAuth } from './index.ts';
import { resealFactor, type SealedFactor, unseal } from './sealed-factors.ts';

const TOTP_STEP = '/two-factor/verify-totp';
/** The steps that follow a right password. The first one also completes the set-up of an authenticator. */
export const SECOND_STEPS = [TOTP_STEP, '/two-factor/verify-backup-code'] as const;
type SecondStep = (typeof SECOND_STEPS)[number];

/** better-auth's codes for a wrong code. */
export const WRONG_CODES: ReadonlySet<string> = new Set(['INVALID_CODE', 'INVALID_BACKUP_CODE']);

const selectSessionPerson = statement('person_of_session', 'request')`
  select user_id as id from sessions where token = $1 and expires_at > now()`;
const selectStepPerson = statement('person_of_second_step', 'request')`
  select value as id from verifications where identifier = $1 and expires_at > now()`;

/** The person of the session in the request's cookie. A session takes precedence over a second step. */
export const personOfSession = (
  pool: Queryable,
  { signInCookies }: FastifyRequest,
): Promise<string | undefined> => personOf(pool, selectSessionPerson, signInCookies.session_token);

/** The person of the second step in the request's cookie. Undefined if there is none, or if it has expired. */
export const personOfStep = (
  pool: Queryable,
  { signInCookies }: FastifyRequest,
): Promise<string | undefined> => personOf(pool, selectStepPerson, signInCookies.two_factor);

async function personOf(
  pool: Queryable,
  select: BoundStatement,
  cookie: string | undefined,
): Promise<string | undefined> {
  if (cookie === undefined) return undefined;
  const { rows } = await pool.query<{ id: string }>(select(cookie));
  return rows[0]?.id;
}

const selectFactor = statement('second_factor_of_user', 'request')`
  select id, user_id, secret, backup_codes from second_factors where user_id = $1`;

/**
 * Makes sure that the first secret decrypts the person's second factor, because better-auth only tries that one. Undefined
 * if the person has no second factor. Throws `conflict` if no secret decrypts it.
 */
export async function openFactor(
  pool: Queryable,
  auth: DashboardAuth,
  userId: string,
): Promise<SealedFactor | undefined> {
  const { rows } = await pool.query<SealedFactor>(selectFactor(userId));
  const [factor] = rows;
  if (factor !== undefined && !(await resealFactor(pool, factor, auth.sealingKeys))) {
    throw new ApiError(
      'conflict',
      'This second factor was set up with a secret that the service no longer has. Ask the operator to reset it ' +
        '(svcd user reset-second-factor), then set it up again.',
    );
  }
  return factor;
}

const takeStep = statement('use_second_factor_step', 'request')`
  update second_factors set last_used_step = $2
  where id = $1 and (last_used_step is null or last_used_step < $2)`;

/**
 * Uses up a code of an authenticator, on all nodes (RFC 6238, 5.2). False if this code or a later one was used before. True
 * for a wrong code, which better-auth refuses.
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
  const { rowCount } = await pool.query(takeStep(factor.id, step));
  return rowCount === 1;
}

export const usedCode = (): ApiError =>
  new ApiError('invalid_body', '"code" was used before. Each code works once. Wait for the next one.');

/** The settings of better-auth's authenticators: the defaults of RFC 6238. */
const PERIOD_MS = 30_000;
const DIGITS = 6;
/** Number of periods before and after the present one whose codes better-auth accepts, because clocks differ. */
const WINDOW = 1;

/** The latest accepted period in which an authenticator with this secret shows the code. Undefined: none. */
function stepOfCode(secret: string, code: string, nowMs: number): number | undefined {
  const now = Math.floor(nowMs / PERIOD_MS);
  for (let step = now + WINDOW; step >= now - WINDOW; step--) {
    if (codeOfStep(secret, step) === code) return step;
  }
  return undefined;
}

function codeOfStep(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0x0f;
  const number = (mac.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, '0');
}
