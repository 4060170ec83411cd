import type pg from 'pg';

/** The steps between a right password and a session; the first of them also ends the set-up of an authenticator. */
export const SECOND_STEPS = ['/two-factor/verify-totp', '/two-factor/verify-backup-code'] as const;

/** better-auth's names for a code that is not right. */
export const WRONG_CODES: ReadonlySet<string> = new Set(['INVALID_CODE', 'INVALID_BACKUP_CODE']);

/** Holds the step's identifier and its signature, which better-auth has checked. */
const COOKIE = /(?:^|;\s*)(?:__Secure-)?svc\.two_factor=([\w-]+)\./;

/** Whose second step a request is; undefined: nobody's, or somebody's who has a session already. */
export async function personOfStep(
  client: pg.ClientBase,
  cookies: string | undefined,
): Promise<{ readonly id: string } | undefined> {
  const identifier = COOKIE.exec(cookies ?? '')?.[1];
  if (identifier === undefined) return undefined;
  const { rows } = await client.query<{ id: string }>(
    'select value as id from verifications where identifier = $1 and expires_at > now()',
    [identifier],
  );
  return rows[0];
}
