import { createHash } from 'node:crypto';
import { isUnavailable } from '../../database/errors.ts';
import type { Queryable } from '../../database/lane.ts';
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

/** How often something may fail within a window that starts with the first attempt. */
interface Budget {
  /** What is counted; stored as a hash. */
  readonly of: string;
  readonly max: number;
  readonly windowSeconds: number;
}

/** Where an attempt comes from, and whether the person has signed in with this device before. */
export interface Attempt {
  readonly address: string;
  /** The id of the device; undefined: not known for this account. */
  readonly knownDevice: string | undefined;
}

/**
 * The budgets of an attempt to enter a password. A known device has one of its own, so that nobody else's failures lock
 * its person out. All other devices share one for each address, and one for the account.
 */
export const passwordBudgets = (account: string, { address, knownDevice }: Attempt): readonly Budget[] =>
  knownDevice === undefined
    ? [ofAddress(address), { of: `password ${account}`, ...ACCOUNT }]
    : [ofDevice(knownDevice, account)];

/**
 * The same of an attempt to enter a code. Known devices also share one for the account: who knows the password may have
 * made many devices known before the second factor was switched on, or by reset links.
 */
export const codeBudgets = (userId: string, { address, knownDevice }: Attempt): readonly Budget[] =>
  knownDevice === undefined
    ? [
        ofAddress(address),
        { of: `code ${userId}`, max: SECOND_STEP_ATTEMPTS_MAX, windowSeconds: DEVICE_WINDOW_SECONDS },
      ]
    : [ofDevice(knownDevice, userId), { of: `code by known devices ${userId}`, ...ACCOUNT }];

/** Of the current password or a code, by somebody who has a session. */
export const sessionBudgets = (userId: string): readonly Budget[] => [
  { of: `session ${userId}`, max: DEVICE_ATTEMPTS_MAX, windowSeconds: DEVICE_WINDOW_SECONDS },
];

const ACCOUNT = { max: ACCOUNT_ATTEMPTS_MAX, windowSeconds: ACCOUNT_WINDOW_SECONDS } as const;
const ofAddress = (address: string): Budget => ({
  of: `address ${address}`,
  max: SIGN_IN_ATTEMPTS_MAX,
  windowSeconds: SIGN_IN_WINDOW_SECONDS,
});
const ofDevice = (device: string, account: string): Budget => ({
  of: `device ${device} ${account}`,
  max: DEVICE_ATTEMPTS_MAX,
  windowSeconds: DEVICE_WINDOW_SECONDS,
});

/**
 * Makes an attempt, and counts it if it fails. An attempt that nothing judged does not count: the database was away or
 * busy, or no secret opens the second factor. Throws `rate_limited` when a budget is used up.
 */
export async function countFailure(
  pool: Queryable,
  budgets: readonly Budget[],
  attempt: () => Promise<Response>,
  failed = ({ ok }: Response): boolean => !ok,
): Promise<Response> {
  const taken: Budget[] = [];
  try {
    await takeAttempt(pool, budgets, taken);
    const response = await attempt();
    if (failed(response)) return response;
    await returnAttempt(pool, taken.splice(0));
    return response;
  } catch (error) {
    // When the database is away, it cannot take the attempt back either. The caller needs the first error.
    if (isUnjudged(error)) await returnAttempt(pool, taken).catch(() => undefined);
    throw error;
  }
}

const isUnjudged = (error: unknown): boolean =>
  isUnavailable(error) || (error instanceof ApiError && error.code === 'conflict');

/**
 * Counts an attempt before it is made, so that attempts at the same instant do not exceed a budget. Adds the budgets that
 * count it to `taken`. Throws `rate_limited` when one is used up; what comes after that one is not counted.
 */
async function takeAttempt(pool: Queryable, budgets: readonly Budget[], taken: Budget[]): Promise<void> {
  for (const budget of budgets) {
    const { of, max, windowSeconds } = budget;
    const { rows } = await pool.query<{ attempts: number; seconds: number }>({
      name: 'take_sign_in_attempt',
      text: `insert into sign_in_attempts as a (bucket, attempts, ends_at)
         values ($1, 1, now() + $2 * interval '1 second')
         on conflict (bucket) do update set
           attempts = case when a.ends_at <= now() then 1 else least(a.attempts, $3) + 1 end,
           ends_at = case when a.ends_at <= now() then excluded.ends_at else a.ends_at end
         returning attempts, ceil(extract(epoch from ends_at - now()))::int as seconds`,
      values: [bucketOf(of), windowSeconds, max],
    });
    taken.push(budget);
    const { attempts = 0, seconds = 1 } = rows[0] ?? {};
    if (attempts > max) throw tooManyAttempts(Math.max(1, seconds));
  }
}

async function returnAttempt(pool: Queryable, budgets: readonly Budget[]): Promise<void> {
  if (budgets.length === 0) return;
  await pool.query(
    'update sign_in_attempts set attempts = greatest(attempts - 1, 0) where bucket = any($1)',
    [budgets.map(({ of }) => bucketOf(of))],
  );
}

const bucketOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

const tooManyAttempts = (seconds: number): ApiError =>
  new ApiError(
    'rate_limited',
    'Too many attempts failed. Wait, or use a device that you have signed in with before.',
    { 'retry-after': String(seconds) },
  );
