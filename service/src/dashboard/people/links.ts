import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { Connections, Queryable } from '../../database/lane.ts';
import { utc } from '../../database/utc.ts';
import {
  INVITATION_HOURS,
  LINK_TOKEN_BYTES,
  PASSWORD_RESET_LINK_HOURS,
  SET_UP_LINK_HOURS,
  SIGN_IN_LINK_HOURS,
} from '../limits.ts';

/**
 * One-time links. The token stands in the fragment, which no browser sends to a server, so that it never reaches a
 * log; only its hash is stored, which is enough for 256 random bits.
 */

type Purpose = 'set-up' | 'sign-in' | 'invitation' | 'password-reset';

const LIFETIME_HOURS: Readonly<Record<Purpose, number>> = {
  'set-up': SET_UP_LINK_HOURS,
  'sign-in': SIGN_IN_LINK_HOURS,
  invitation: INVITATION_HOURS,
  'password-reset': PASSWORD_RESET_LINK_HOURS,
};

export interface LinkOptions {
  readonly pool: Connections;
  readonly publicUrl: string;
}

/** The link that makes the first owner, valid for 24 hours; null when there is a user already. */
export async function createSetUpLink({ pool, publicUrl }: LinkOptions): Promise<string | null> {
  const { rowCount } = await pool.query('select 1 from users limit 1');
  return rowCount === 0 ? createLink(pool, publicUrl, 'set-up', null) : null;
}

/** A link that signs the user in once, valid for an hour. */
export const createSignInLink = (options: LinkOptions & { readonly userId: string }): Promise<string> =>
  createLink(options.pool, options.publicUrl, 'sign-in', options.userId);

/** The link that accepts an invitation; made in the transaction that makes the invitation. */
export const createInvitationLink = (
  client: pg.ClientBase,
  publicUrl: string,
  invitationId: string,
): Promise<string> => createLink(client, publicUrl, 'invitation', invitationId);

/**
 * The link that sets a new password for a person, valid for 24 hours; earlier ones stop working. `madeBy`: the owner
 * who creates it; null: the operator.
 */
export async function createPasswordResetLink(
  client: pg.ClientBase,
  publicUrl: string,
  userId: string,
  madeBy: string | null,
): Promise<{ readonly link: string; readonly expiresAt: string }> {
  await client.query(`delete from one_time_links where purpose = 'password-reset' and subject = $1`, [
    userId,
  ]);
  const link = await createLink(client, publicUrl, 'password-reset', userId, madeBy);
  const { rows } = await client.query<{ expiresAt: string }>(
    `select ${utc('expires_at')} as "expiresAt" from one_time_links where purpose = 'password-reset' and subject = $1`,
    [userId],
  );
  return { link, expiresAt: rows[0]?.expiresAt ?? '' };
}

async function createLink(
  client: Queryable,
  publicUrl: string,
  purpose: Purpose,
  subject: string | null,
  madeBy: string | null = null,
): Promise<string> {
  const token = randomBytes(LINK_TOKEN_BYTES).toString('base64url');
  await client.query(
    `with forgotten as (delete from one_time_links where expires_at <= now())
     insert into one_time_links (token_hash, purpose, subject, expires_at, made_by)
     values ($1, $2, $3, now() + $4 * interval '1 hour', $5)`,
    [hashOf(token), purpose, subject, LIFETIME_HOURS[purpose], madeBy],
  );
  return `${publicUrl}/${purpose}#token=${token}`;
}

/** What a link was made for. */
export interface Link {
  readonly subject: string | null;
  /** The owner who made it for a member; null: nobody has to vouch for it. */
  readonly madeBy: string | null;
}

/** The link of a token that may still be used; undefined when it is unknown, used or too old. */
export async function findLink(
  client: Queryable,
  purpose: Purpose,
  token: string,
): Promise<Link | undefined> {
  const { rows } = await client.query<Link>(
    `select subject, made_by as "madeBy" from one_time_links
     where token_hash = $1 and purpose = $2 and expires_at > now()`,
    [hashOf(token), purpose],
  );
  return rows[0];
}

/** Uses the link up. Of two at the same instant the second waits, and gets nothing when the first one commits. */
export async function useLink(
  client: pg.ClientBase,
  purpose: Purpose,
  token: string,
): Promise<Link | undefined> {
  const { rows } = await client.query<Link>(
    `delete from one_time_links where token_hash = $1 and purpose = $2 and expires_at > now()
     returning subject, made_by as "madeBy"`,
    [hashOf(token), purpose],
  );
  return rows[0];
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();
