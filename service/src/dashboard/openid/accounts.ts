import type { Identity } from '@svc/openid-sign-in';
import type { Queryable } from '@svc/turns/lane';
import type pg from 'pg';
import type { PersonContext } from '../../audit-log/actor.ts';
import { appendEvent } from '../../audit-log/append-event.ts';
import type { OidcSettings } from '../../config/oidc.ts';
import { failedFor } from '../../database/errors.ts';
import { statement } from '../../database/statement.ts';
import { utc } from '../../database/utc.ts';
import { ApiError } from '../../http/errors.ts';
import type { DashboardAuth } from '../auth/index.ts';
import { NAME_MAX_CHARACTERS } from '../limits.ts';
import { addMember, findUser, formerOf, isFull, lockMembers, saveAccount } from '../people/accounts.ts';
import type { SignInMethods } from '../wire.ts';

/** The accounts of people who sign in with OpenID Connect. Issuer and subject identify a person, never the email address. */

export interface ConnectedUser {
  readonly id: string;
  readonly secondFactor: boolean;
}

const selectConnected = statement('user_of_identity', 'request')`
  select u.id, u.two_factor_enabled as "secondFactor" from accounts a join users u on u.id = a.user_id
  where a.provider_id = $1 and a.account_id = $2`;

/** The user whose account is connected to the identity. */
export async function findConnected(
  client: Queryable,
  { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>,
): Promise<ConnectedUser | undefined> {
  const { rows } = await client.query<ConnectedUser>(selectConnected(issuer, subject));
  return rows[0];
}

/** The user who has or had the address, or was connected to the identity. They are no newcomer. */
export const findEarlier = async (
  client: Queryable,
  { issuer, subject }: Identity,
  email: string,
): Promise<{ readonly id: string } | undefined> =>
  (await findUser(client, email)) ??
  (await findConnected(client, { issuer: formerOf('email'), subject: email.toLowerCase() })) ??
  (await findConnected(client, { issuer: formerOf(issuer), subject }));

/** Connects the identity to a user. Throws `conflict` if it is connected to another one. */
export async function connect(
  auth: DashboardAuth,
  userId: string,
  { issuer, subject }: Identity,
): Promise<void> {
  const { internalAdapter } = await auth.$context;
  try {
    await internalAdapter.createAccount({ userId, accountId: subject, providerId: issuer });
  } catch (error) {
    if (failedFor(error, 'unique_violation'))
      throw new ApiError('conflict', 'This sign-in is connected to another account.');
    throw error;
  }
}

/**
 * Creates a user who signs in only with the provider, as a member of the workspace for newcomers; returns the id. Throws
 * `conflict` if there is no such workspace or it is full.
 */
export async function createNewcomer(
  client: pg.ClientBase,
  auth: DashboardAuth,
  by: PersonContext,
  identity: Identity & { readonly email: string },
  { workspaceId, role }: NonNullable<OidcSettings['newcomers']>,
): Promise<string> {
  await lockMembers(client, workspaceId);
  const full = await isFull(client, workspaceId);
  if (full === undefined)
    throw new ApiError('conflict', 'The workspace for newcomers does not exist. Tell the operator.');
  if (full) throw new ApiError('conflict', 'The workspace for newcomers is full.');
  const email = identity.email.toLowerCase();
  const id = await createUser(auth, email, nameOf(identity));
  await connect(auth, id, identity);
  await addMember(client, workspaceId, id, role);
  await appendEvent(
    client,
    workspaceId,
    { ...by, actor: email },
    { kind: 'member.joined', target: { id, label: email }, details: { role, invitationId: null } },
  );
  return id;
}

async function createUser(auth: DashboardAuth, email: string, name: string): Promise<string> {
  const { internalAdapter } = await auth.$context;
  try {
    const user = { email, name, emailVerified: true };
    return (await internalAdapter.createUser(user, { method: 'sso' })).id;
  } catch (error) {
    if (failedFor(error, 'unique_violation'))
      throw new ApiError('conflict', `An account for ${email} was created at the same time. Start again.`);
    throw error;
  }
}

/** The name on one line. Without one, the part of the address before the `@`. */
function nameOf({ name = '', email }: Identity & { readonly email: string }): string {
  const line = [...name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()]
    .slice(0, NAME_MAX_CHARACTERS)
    .join('');
  return line.trim() === '' ? (email.split('@', 1)[0] ?? email) : line;
}

const selectMethods = statement('sign_in_methods', 'request')`
  select bool_or(provider_id = 'credential') as password,
    ${utc(`min(created_at) filter (where provider_id = $2)`)} as "providerSince"
  from accounts where user_id = $1`;

/** How the user can sign in. `issuer` undefined: there is no provider. */
export async function readMethods(
  client: Queryable,
  userId: string,
  issuer: string | undefined,
): Promise<SignInMethods> {
  const { rows } = await client.query<SignInMethods>(selectMethods(userId, issuer ?? null));
  const { password = null, providerSince = null } = rows[0] ?? {};
  return { password: password === true, providerSince };
}

// The expression keeps PostgreSQL from accounts_by_identity, which would read everyone who is connected.
const deleteIdentities = statement('disconnect_identities', 'request')`
  delete from accounts where user_id = $1 and (provider_id || '' = $2 or ($2::text is null and provider_id <> 'credential'
    and not starts_with(provider_id, '${formerOf('')}') and created_at > (
      select created_at from accounts where provider_id = 'credential' and account_id = $1
    ))) returning provider_id as issuer, account_id as subject`;

/**
 * Disconnects the user from the provider; returns whether they were connected. The identity is no newcomer after it.
 * `issuer` undefined: from each that was connected after the user got a password, so maybe by somebody who knew it.
 */
export async function disconnect(client: pg.ClientBase, userId: string, issuer?: string): Promise<boolean> {
  const deletion = deleteIdentities(userId, issuer ?? null);
  const { rows } = await client.query<{ issuer: string; subject: string }>(deletion);
  for (const row of rows) await client.query(saveAccount(userId, formerOf(row.issuer), row.subject, null));
  return rows.length !== 0;
}
