import { createHash, randomBytes } from 'node:crypto';
import type { Connections, Queryable } from '@svc/turns/lane';
import type pg from 'pg';
import { type BoundStatement, statement } from '../../database/statement.ts';
import { utc } from '../../database/utc.ts';
import { ApiError } from '../../http/errors.ts';
import {
  INVITATION_HOURS,
  LINK_TOKEN_BYTES,
  PASSWORD_RESET_LINK_HOURS,
  SET_UP_LINK_HOURS,
  SIGN_IN_LINK_HOURS,
} from '../limits.ts';

/**
 * One-time links. The token is in the fragment, which no browser sends to a server, so it never reaches a log. Only its
 * hash is stored, which is enough for 256 random bits.
 */

type Purpose = 'set-up' | 'sign-in' | 'invitation' | 'password-reset';

const LIFETIMES: Readonly<Record<Purpose, readonly [hours: number, text: string]>> = {
  'set-up': [SET_UP_LINK_HOURS, `${SET_UP_LINK_HOURS} hours`],
  'sign-in': [SIGN_IN_LINK_HOURS, 'an hour'],
  invitation: [INVITATION_HOURS, `${INVITATION_HOURS / 24} days`],
  'password-reset': [PASSWORD_RESET_LINK_HOURS, `${PASSWORD_RESET_LINK_HOURS} hours`],
};

export interface LinkOptions {
  readonly pool: Connections;
  readonly publicUrl: string;
}

interface IssuedLink {
  readonly link: string;
  readonly expiresAt: string;
}

/** Ends the unfinished sign-ins of a person, and the links that sign the person in. */
export const endWaitingSignIns = statement('end_waiting_sign_ins', 'request')`
  with second_steps as (delete from verifications where value = $1)
  delete from one_time_links where subject = $1 and purpose in ('sign-in', 'password-reset')`;

export const selectAnyUser = statement('any_user', 'request')`select 1 from users limit 1`;

/** The link that creates the first owner. It is valid for 24 hours. Null if there already is a user. */
export async function createSetUpLink({ pool, publicUrl }: LinkOptions): Promise<string | null> {
  const { rowCount } = await pool.query(selectAnyUser());
  return rowCount === 0 ? (await createLink(pool, publicUrl, 'set-up', null)).link : null;
}

/** A link that signs the user in once. It is valid for an hour. */
export const createSignInLink = async (options: LinkOptions & { readonly userId: string }): Promise<string> =>
  (await createLink(options.pool, options.publicUrl, 'sign-in', options.userId)).link;

/** The link that accepts an invitation. Called in the transaction that creates the invitation. */
export const createInvitationLink = async (
  client: pg.ClientBase,
  publicUrl: string,
  invitationId: string,
): Promise<string> => (await createLink(client, publicUrl, 'invitation', invitationId)).link;

const deletePasswordResetLinks = statement('delete_password_reset_links', 'request')`
  delete from one_time_links where purpose = 'password-reset' and subject = $1`;

/**
 * The link that sets a new password for a person. It is valid for 24 hours, and replaces earlier ones. `madeBy`: the owner
 * who creates it; null: the operator.
 */
export async function createPasswordResetLink(
  client: pg.ClientBase,
  publicUrl: string,
  userId: string,
  madeBy: string | null,
): Promise<IssuedLink> {
  await client.query(deletePasswordResetLinks(userId));
  return createLink(client, publicUrl, 'password-reset', userId, madeBy);
}

const insertLink = statement('create_link', 'request')`
  with created as (
    insert into one_time_links (token_hash, purpose, subject, expires_at, made_by)
    values ($1, $2, $3, now() + $4 * interval '1 hour', $5) returning expires_at
  )
  select ${utc('expires_at')} as "expiresAt" from created`;

async function createLink(
  client: Queryable,
  publicUrl: string,
  purpose: Purpose,
  subject: string | null,
  madeBy: string | null = null,
): Promise<IssuedLink> {
  const token = randomBytes(LINK_TOKEN_BYTES).toString('base64url');
  const { rows } = await client.query<{ expiresAt: string }>(
    insertLink(hashOf(token), purpose, subject, LIFETIMES[purpose][0], madeBy),
  );
  return { link: `${publicUrl}/${purpose}#token=${token}`, expiresAt: rows[0]?.expiresAt ?? '' };
}

export interface Link {
  /** The id of the person or invitation that the link is for. Empty: the link sets up the service. */
  readonly subject: string;
  /** The owner who created a reset link. Null: the operator created it, or it is another kind of link. */
  readonly madeBy: string | null;
}

const FIELDS = `coalesce(subject, '') as subject, made_by as "madeBy"`;
const USABLE = 'token_hash = $1 and purpose = $2 and expires_at > now()';
const selectLink = statement('find_link', 'request')`select ${FIELDS} from one_time_links where ${USABLE}`;
const takeLink = statement('use_link', 'request')`
  delete from one_time_links where ${USABLE} returning ${FIELDS}`;

/** The link of a token. Throws {@link staleLink} if it is unknown, used or too old. */
export const findLink = (client: Queryable, purpose: Purpose, token: string): Promise<Link> =>
  linkOf(client, selectLink, purpose, token);

/**
 * Uses the link up. Throws {@link staleLink} as `findLink` does. If two requests use a link at the same time, the second
 * one waits, and is refused when the first one commits.
 */
export const useLink = (client: pg.ClientBase, purpose: Purpose, token: string): Promise<Link> =>
  linkOf(client, takeLink, purpose, token);

async function linkOf(
  client: Queryable,
  find: BoundStatement,
  purpose: Purpose,
  token: string,
): Promise<Link> {
  const { rows } = await client.query<Link>(find(hashOf(token), purpose));
  const [link] = rows;
  if (link === undefined) throw staleLink(purpose);
  return link;
}

export const staleLink = (purpose: Purpose): ApiError =>
  new ApiError(
    'invalid_body',
    `The link cannot be used: it was used before, was withdrawn, or is older than ${LIFETIMES[purpose][1]}. Ask for a new one.`,
  );

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();
