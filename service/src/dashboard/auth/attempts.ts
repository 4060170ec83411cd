import { createHash } from 'node:crypto';
import { rateLimitKey } from '@svc/ip-addresses/proxies';
import type { Queryable } from '@svc/turns/lane';
import type { FastifyRequest } from 'fastify';
import { isUnavailable } from '../../database/errors.ts';
import { preparedStatement, statement } from '../../database/statement.ts';
import { ApiError } from '../../http/errors.ts';
import {
  ACCOUNT_ATTEMPTS_MAX,
  ACCOUNT_WINDOW_SECONDS,
  DEVICE_ATTEMPTS_MAX,
  DEVICE_WINDOW_SECONDS,
  SECOND_STEP_ATTEMPTS_MAX,
  SIGN_IN_ATTEMPTS_MAX,
  SIGN_IN_WINDOW_SECONDS,
} from '../limits.ts';
import { deviceOf, knownDevice, type PersonOfDevice } from '../requests/cookies.ts';

/** How many attempts may fail within a window of time, which starts with the first attempt. */
interface Budget {
  /** The name of what is counted. It is stored as a hash. */
  readonly of: string;
  readonly max: number;
  readonly windowSeconds: number;
}

const ACCOUNT = { max: ACCOUNT_ATTEMPTS_MAX, windowSeconds: ACCOUNT_WINDOW_SECONDS } as const;
const DEVICE = { max: DEVICE_ATTEMPTS_MAX, windowSeconds: DEVICE_WINDOW_SECONDS } as const;
const SECOND_STEP = { max: SECOND_STEP_ATTEMPTS_MAX, windowSeconds: DEVICE_WINDOW_SECONDS } as const;
const ADDRESS = { max: SIGN_IN_ATTEMPTS_MAX, windowSeconds: SIGN_IN_WINDOW_SECONDS } as const;

/**
 * The budgets of an attempt to enter a password. A known device has its own, so that failures of other people do not lock
 * its person out. All other devices share one per address and one per account.
 */
export function passwordBudgets(
  request: FastifyRequest,
  account: string,
  person: PersonOfDevice | undefined,
): readonly Budget[] {
  const device = knownDevice(request, person);
  return device === undefined
    ? [ofAddress(request), { of: `password ${account}`, ...ACCOUNT }]
    : [{ of: `device ${device} ${account}`, ...DEVICE }];
}

/**
 * The budgets of an attempt to enter a code. All known devices of an account also share one: a stranger who knows the
 * password may have made many devices known, before the second factor was enabled or by reset links.
 */
export function codeBudgets(request: FastifyRequest, person: PersonOfDevice): readonly Budget[] {
  const device = knownDevice(request, person);
  return device === undefined
    ? [ofAddress(request), { of: `code ${person.id}`, ...SECOND_STEP }]
    : [
        { of: `device ${device} ${person.id}`, ...DEVICE },
        { of: `code by known devices ${person.id}`, ...ACCOUNT },
      ];
}

/** The budgets of an answer of the OpenID Connect provider, before it says who the person is. */
export function openIdBudgets(request: FastifyRequest): readonly Budget[] {
  const device = deviceOf(request);
  return device === undefined ? [ofAddress(request)] : [{ of: `device ${device} openid`, ...DEVICE }];
}

/** The budget of a signed-in person who enters the current password or a code. */
export const sessionBudgets = (userId: string): readonly Budget[] => [{ of: `session ${userId}`, ...DEVICE }];

const ofAddress = (request: FastifyRequest): Budget => ({
  of: `address ${rateLimitKey(request)}`,
  ...ADDRESS,
});

/**
 * Makes an attempt, and counts it if it fails. It does not count if it could not be checked: the database or the OpenID
 * Connect provider was unavailable, or no secret decrypts the second factor. Throws `rate_limited` if a budget is used up.
 */
export async function countFailure<Result>(
  pool: Queryable,
  budgets: readonly Budget[],
  attempt: () => Promise<Result>,
  failed = (result: Result): boolean => result instanceof Response && !result.ok,
): Promise<Result> {
  const taken: Budget[] = [];
  try {
    await takeAttempt(pool, budgets, taken);
    const response = await attempt();
    if (failed(response)) return response;
    await returnAttempt(pool, taken.splice(0));
    return response;
  } catch (error) {
    // If the database is unavailable, this fails too. The caller needs the first error.
    if (isUnchecked(error)) await returnAttempt(pool, taken).catch(() => undefined);
    throw error;
  }
}

const DAY_SECONDS = 24 * 60 * 60;

/** What a person may do so often per day. */
interface Daily {
  readonly of: string;
  readonly max: number;
  /** What the person reads when that is used up. */
  readonly tooMany: string;
}

/** Does what is limited per day. Work that throws, or whose result does not count, leaves the number as it was. */
export async function countDaily<Result>(
  pool: Queryable,
  { of, max, tooMany }: Daily,
  work: () => Promise<Result>,
  counts: (result: Result) => boolean,
): Promise<Result> {
  const budgets = [{ of, max, windowSeconds: DAY_SECONDS }];
  await takeAttempt(pool, budgets, []).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.code === 'rate_limited')) throw error;
    throw new ApiError(error.code, tooMany, error.headers);
  });
  let counted = false;
  try {
    const result = await work();
    counted = counts(result);
    return result;
  } finally {
    // If the database is unavailable, this fails too. The caller needs the first error.
    if (!counted) await returnAttempt(pool, budgets).catch(() => undefined);
  }
}

const isUnchecked = (error: unknown): boolean =>
  isUnavailable(error) || (error instanceof ApiError && ['conflict', 'unavailable'].includes(error.code));

/**
 * Whether the attempts are of an earlier time, or of a later one, because the clock was ahead. Without `now()`, which Citus
 * does not take in the update of a conflict.
 */
const ENDED = `((a.ends_at at time zone 'UTC') <= (excluded.ends_at at time zone 'UTC') - $2 * interval '1 second'
  or (a.ends_at at time zone 'UTC') > (excluded.ends_at at time zone 'UTC') + interval '5 minutes')`;
const countAttempt = preparedStatement('take_sign_in_attempt', 'request')`
  with taken as (
    insert into sign_in_attempts as a (bucket, attempts, ends_at)
    values ($1, 1, now() + $2 * interval '1 second')
    on conflict (bucket) do update set
      attempts = case when ${ENDED} then 1 else least(a.attempts, $3) + 1 end,
      ends_at = case when ${ENDED} then excluded.ends_at else a.ends_at end
    returning attempts, ends_at
  )
  select attempts, ceil(extract(epoch from ends_at - now()))::int as seconds from taken`;

/**
 * Counts an attempt before it is made, so that attempts at the same time do not exceed a budget. Adds the budgets that
 * count it to `taken`. Throws `rate_limited` at the first one that is used up; the later ones do not count it.
 */
async function takeAttempt(pool: Queryable, budgets: readonly Budget[], taken: Budget[]): Promise<void> {
  for (const budget of budgets) {
    const { of, max, windowSeconds } = budget;
    const { rows } = await pool.query<{ attempts: number; seconds: number }>(
      countAttempt(bucketOf(of), windowSeconds, max),
    );
    taken.push(budget);
    const { attempts = 0, seconds = 1 } = rows[0] ?? {};
    if (attempts > max) throw tooManyAttempts(Math.max(1, seconds));
  }
}

/** Whether this is the first use of a value, on all nodes. A later one within `seconds` is refused. */
export async function isFirstUse(pool: Queryable, value: string, seconds: number): Promise<boolean> {
  const { rows } = await pool.query<{ attempts: number }>(countAttempt(bucketOf(`use ${value}`), seconds, 1));
  return rows[0]?.attempts === 1;
}

const uncountAttempts = statement('return_sign_in_attempt', 'request')`
  update sign_in_attempts set attempts = greatest(attempts - 1, 0) where bucket = any($1)`;

async function returnAttempt(pool: Queryable, budgets: readonly Budget[]): Promise<void> {
  if (budgets.length === 0) return;
  await pool.query(uncountAttempts(budgets.map(({ of }) => bucketOf(of))));
}

const bucketOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

const tooManyAttempts = (seconds: number): ApiError =>
  new ApiError(
    'rate_limited',
    'Too many attempts failed. Wait, or use a device that you have signed in with before.',
    { 'retry-after': String(seconds) },
  );
