import { countedAddress } from '@svc/ip-addresses/proxies';
import { isId } from '@svc/sdk/contract';
import type { Connections } from '@svc/turns/lane';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type pg from 'pg';
import type { PersonContext } from '../../audit-log/actor.ts';
import { preparedStatement } from '../../database/statement.ts';
import { ApiError } from '../../http/errors.ts';
import { originOf } from '../../http/request.ts';
import { ADDRESS_HEADER, type DashboardAuth } from '../auth/index.ts';
import { allows, type Permission, type Role } from '../auth/permissions.ts';
import type { RequestIdentity } from './connections.ts';
import { deviceCookie } from './cookies.ts';
import { noSession } from './ended-sessions.ts';
import { requireSamePerson } from './same-person.ts';

/** The person of a session. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

/** A person in one of their workspaces. */
export interface Access {
  readonly workspaceId: string;
  readonly role: Role;
  readonly person: Person;
  /** Who acts and from where, for the audit log. */
  readonly by: PersonContext;
  /** The permission that the role was checked for. Undefined: every member may do it. */
  readonly permission?: Permission;
  /** What the request admits, which other requests do not: see `Sessions.member`. Undefined: nothing. */
  readonly admits?: 'deleted' | 'blocked' | undefined;
}

export interface Sessions {
  /** The person of the session in the request's cookie. Undefined if there is none. */
  find(request: FastifyRequest, reply: FastifyReply): Promise<Person | undefined>;
  /** The same. Throws `not_signed_in`, with the reason if the session has ended, and `person_changed`. */
  require(request: FastifyRequest, reply: FastifyReply): Promise<Person>;
  /**
   * The person as a member of the workspace in the path. Throws `not_signed_in`, `not_found` if the person is not a member
   * or there is no such workspace, `second_factor_required` if the workspace requires one and the person has none, and
   * `insufficient_scope` if the role does not have the permission. `admits`: `deleted` finds only workspaces that can
   * still be restored, and `blocked` also members without the required second factor. Default: neither.
   */
  member(
    request: FastifyRequest,
    reply: FastifyReply,
    permission?: Permission,
    admits?: Access['admits'],
  ): Promise<Access>;
  /** Starts a session in the running transaction; returns its cookies, which the caller sends after the commit. */
  start(request: FastifyRequest, userId: string, method?: 'link' | 'openid'): Promise<readonly string[]>;
}

/** The context of a signed-in person's request, for the audit log. */
export const acting = (request: FastifyRequest, { email }: Person): PersonContext => ({
  ...originOf(request),
  actor: email,
});

/** The context of a request without a confirmed session, for the audit log. */
export const anonymous = (request: FastifyRequest): PersonContext => ({ ...originOf(request), actor: null });

/** The headers of a request that are passed on to better-auth. */
export function authHeaders(request: FastifyRequest): Headers {
  const { headers } = request;
  const seen = new Headers({ [ADDRESS_HEADER]: countedAddress(request) });
  if (headers.cookie !== undefined) seen.set('cookie', headers.cookie);
  if (headers['user-agent'] !== undefined) seen.set('user-agent', headers['user-agent']);
  return seen;
}

export function createSessions(pool: Connections, auth: DashboardAuth, identity: RequestIdentity): Sessions {
  const find: Sessions['find'] = async (request, reply) => {
    if (request.headers.cookie === undefined) return undefined;
    const { response, headers } = await identity.lookUp(() =>
      auth.database.run(anonymous(request), () =>
        auth.api.getSession({ headers: authHeaders(request), returnHeaders: true }),
      ),
    );
    identity.identify(response?.user.id);
    setCookies(reply, headers.getSetCookie());
    if (response === null) return undefined;
    const { id, email, name } = response.user;
    return { id, email, name };
  };
  const require: Sessions['require'] = async (request, reply) => {
    const person = await find(request, reply);
    if (person === undefined) throw await identity.lookUp(() => noSession(pool, request));
    requireSamePerson(request, person.id);
    return person;
  };
  return {
    find,
    require,
    member: async (request, reply, permission, admits) => {
      const person = await require(request, reply);
      const { workspaceId = '' } = request.params as { readonly workspaceId?: string };
      const found = isId(workspaceId)
        ? await identity.lookUp(() => membershipOf(pool, workspaceId, person.id))
        : undefined;
      const role = requireMember(found, admits);
      identity.admit();
      const access = { workspaceId, role, person, by: acting(request, person), admits };
      return permission === undefined ? access : requirePermission(access, permission);
    },
    start: async (request, userId, method = 'link') => {
      const { headers, response } = await auth.api.startSession({
        body: { userId, method },
        headers: authHeaders(request),
        returnHeaders: true,
      });
      if (response === null) throw new Error('A session needs a user who exists.');
      return [...headers.getSetCookie(), await deviceCookie(auth, request, userId)];
    },
  };
}

/** The same access, for an action that needs a permission. Throws `insufficient_scope` if the role does not have it. */
export function requirePermission(access: Access, permission: Permission): Access {
  requireAllowed(access.role, permission);
  return { ...access, permission };
}

/**
 * Checks the membership again in the transaction that uses it, and keeps the role until the transaction ends: a person who
 * loses the role at the same time cannot act. Returns the role. Throws as `Sessions.member` does. Locks the member, so the
 * caller locks the workspace before it and the clocks after it.
 */
export async function confirmRole(
  client: pg.ClientBase,
  { workspaceId, person, permission, admits }: Omit<Access, 'role' | 'by'>,
): Promise<Role> {
  const { rows } = await client.query<Membership>(lockMembership(workspaceId, person.id));
  const role = requireMember(rows[0], admits);
  if (permission !== undefined) requireAllowed(role, permission);
  return role;
}

function requireAllowed(role: Role, permission: Permission): void {
  if (allows(role, permission)) return;
  throw new ApiError('insufficient_scope', `A member with the role ${role} may not do this.`);
}

export const noWorkspace = (): ApiError => new ApiError('not_found', 'There is no such workspace.');

export function setCookies(reply: FastifyReply, cookies: readonly string[]): void {
  for (const cookie of cookies) reply.header('set-cookie', cookie);
}

const secondFactorRequired = (): ApiError =>
  new ApiError(
    'second_factor_required',
    'This workspace requires a second factor. Set one up in your account, then try again.',
  );

interface Membership {
  readonly role: Role;
  /** Whether the workspace requires a second factor, which the person does not have. */
  readonly blocked: boolean;
  /** Whether the workspace is deleted. */
  readonly deleted: boolean;
}

function requireMember(found: Membership | undefined, admits: Access['admits']): Role {
  if (found === undefined || found.deleted !== (admits === 'deleted')) throw noWorkspace();
  if (found.blocked && admits !== 'blocked') throw secondFactorRequired();
  return found.role;
}

const MEMBERSHIP = `
  select m.role, w.second_factor_required and not u.two_factor_enabled as blocked,
    w.deleted_at is not null as deleted
  from members m join workspaces w on w.id = m.workspace_id join users u on u.id = m.user_id
  where m.workspace_id = $1 and m.user_id = $2`;
const selectMembership = preparedStatement('membership', 'request')`${MEMBERSHIP}`;
const lockMembership = preparedStatement('confirm_role', 'request')`${MEMBERSHIP} for share of m`;

async function membershipOf(
  pool: Connections,
  workspaceId: string,
  userId: string,
): Promise<Membership | undefined> {
  const { rows } = await pool.query<Membership>(selectMembership(workspaceId, userId));
  return rows[0];
}
