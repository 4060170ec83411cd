import type { Queryable } from '../../database/lane.ts';
import { notSignedIn } from '../requests/session.ts';

/**
 * Runs a step of a sign-in, and takes it back when the person's password was changed meanwhile. A new password ends the
 * sessions that exist; this one may start after that, with the old password. Throws `not_signed_in`.
 */
export async function withSamePassword(
  pool: Queryable,
  userId: string | undefined,
  step: () => Promise<Response>,
): Promise<Response> {
  const before = await passwordHash(pool, userId);
  const response = await step();
  if (!response.ok || (await passwordHash(pool, userId)) === before) return response;
  const { token } = (await response.json()) as { readonly token?: string };
  await pool.query(
    `with second_steps as (delete from verifications where value = $1)
     delete from sessions where user_id = $1 and token = $2`,
    [userId, token ?? null],
  );
  throw notSignedIn('The password was changed meanwhile. Sign in again.');
}

async function passwordHash(pool: Queryable, userId: string | undefined): Promise<string | undefined> {
  const { rows } = await pool.query<{ password: string }>(
    `select password from accounts where user_id = $1 and provider_id = 'credential'`,
    [userId ?? null],
  );
  return rows[0]?.password;
}
