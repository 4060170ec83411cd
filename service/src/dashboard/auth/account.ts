import { ERRORS } from '@svc/sdk/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type pg from 'pg';
import { Type } from 'typebox';
import { statement } from '../../database/statement.ts';
import { utc } from '../../database/utc.ts';
import { ApiError } from '../../http/errors.ts';
import type { DashboardContext } from '../context.ts';
import { lockPerson } from '../people/accounts.ts';
import { endWaitingSignIns } from '../people/links.ts';
import { defineBody, emptyBody, flag, newPassword, text } from '../requests/body.ts';
import { deviceCookie } from '../requests/cookies.ts';
import { type EndReason, endSessions, noSession, noteEnded } from '../requests/ended-sessions.ts';
import { requireSamePerson } from '../requests/same-person.ts';
import { acting, anonymous, authHeaders, setCookies } from '../requests/session.ts';
import type { SessionOfList } from '../wire.ts';
import { countFailure, sessionBudgets } from './attempts.ts';
import { type PersonalEvent, recordPersonal } from './events.ts';
import type { DashboardAuth } from './index.ts';
import { errorBody, forward, sendResponse } from './proxy.ts';
import { personOfSession } from './second-step.ts';

/** The dashboard lists no more: those that were used last. */
const LISTED_SESSIONS_MAX = 100;

const password = defineBody({ password: text });
const session = defineBody({ id: text });

/** A path of better-auth where a signed-in person changes the account or ends sessions. */
interface AccountChange {
  readonly check: (body: unknown) => object;
  /** The entry in the log. Undefined: nothing has changed, or a hook has logged it. */
  readonly event: (sessionsEnded: number) => PersonalEvent | undefined;
  /** What the browsers of sessions that the change ends are told. */
  readonly ends: EndReason;
  /** Whether the change needs the current password. */
  readonly withPassword?: boolean;
}

const ended = (sessions: number): PersonalEvent | undefined =>
  sessions === 0 ? undefined : { kind: 'session.ended', details: { sessions } };

const REVOKE: AccountChange = { check: emptyBody, event: ended, ends: 'revoked' };

const REVOKE_OTHERS = '/revoke-other-sessions';

const CHANGES: Readonly<Record<string, AccountChange>> = {
  '/sign-out': { check: emptyBody, event: ended, ends: 'signed_out' },
  '/revoke-sessions': REVOKE,
  [REVOKE_OTHERS]: REVOKE,
  '/change-password': {
    check: defineBody({ currentPassword: text, newPassword, revokeOtherSessions: Type.Optional(flag) }),
    event: (sessionsEnded) => ({ kind: 'account.password_changed', details: { sessionsEnded } }),
    ends: 'password_changed',
    withPassword: true,
  },
  '/two-factor/enable': {
    check: password,
    event: () => ({ kind: 'account.second_factor_started' }),
    ends: 'second_factor_changed',
    withPassword: true,
  },
  '/two-factor/disable': {
    check: password,
    event: () => undefined,
    ends: 'second_factor_changed',
    withPassword: true,
  },
  '/two-factor/generate-backup-codes': {
    check: password,
    event: () => ({ kind: 'account.backup_codes_created' }),
    ends: 'second_factor_changed',
    withPassword: true,
  },
};

/** better-auth's code for a wrong current password. */
const WRONG_PASSWORD = 'INVALID_PASSWORD';

/** The account and the sessions of a person who is signed in. Only these paths and those of sign-in.ts reach better-auth. */
export function registerAccount(api: FastifyInstance, { people, auth, sessions }: DashboardContext): void {
  /** Sends a response of better-auth. If it refuses the session, says why the session has ended. */
  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    response: Response,
    cookies: readonly string[] = [],
  ) => {
    if (response.status !== ERRORS.not_signed_in.status) return sendResponse(reply, response, { cookies });
    setCookies(reply, response.headers.getSetCookie());
    throw await noSession(people, request);
  };

  api.get('/auth/get-session', async (request, reply) =>
    send(request, reply, await forward(auth, request, '/get-session')),
  );

  // better-auth refuses to list the sessions if the one of the request is older than a day, and lists any 100.
  api.get('/auth/list-sessions', async (request, reply): Promise<readonly SessionOfList[]> => {
    const { id } = await sessions.require(request, reply);
    return (await people.query<SessionOfList>(selectSessions(id))).rows;
  });

  for (const [path, account] of Object.entries(CHANGES)) {
    api.post(`/auth${path}`, async (request, reply) => {
      const { check, withPassword = false } = account;
      const body = check(request.body);
      const change = (): Promise<Response> => logChange(auth, request, path, body, account);
      const userId = withPassword ? await personOfSession(people, request) : undefined;
      // Before the attempt counts: the page of somebody else must not use up those of this person.
      if (userId !== undefined) requireSamePerson(request, userId);
      const response =
        userId === undefined ? await change() : await countFailure(people, sessionBudgets(userId), change);
      // The new password makes the person's devices unknown, except this one.
      const isKnown = userId !== undefined && response.ok && account.ends === 'password_changed';
      return send(request, reply, response, isKnown ? [await deviceCookie(auth, request, userId)] : []);
    });
  }

  // better-auth identifies the session to end by its token, which no response holds. Clients send the id.
  api.post('/auth/revoke-session', async (request, reply) => {
    const { id } = session(request.body);
    const person = await sessions.require(request, reply);
    const [own] = (await people.query<{ token: string }>(selectToken(person.id, id))).rows;
    if (own === undefined) throw new ApiError('not_found', 'There is no such session.');
    return send(request, reply, await logChange(auth, request, '/revoke-session', own, REVOKE));
  });
}

const selectSessions = statement('sessions_of_person', 'request')`
  select id, ${utc('created_at')} as "createdAt", ${utc('updated_at')} as "updatedAt", ${utc('expires_at')} as "expiresAt",
    ip_address as "ipAddress", user_agent as "userAgent"
  from sessions where user_id = $1 and expires_at > now() order by sessions.updated_at desc limit ${LISTED_SESSIONS_MAX}`;
const selectToken = statement('token_of_session', 'request')`
  select token from sessions where user_id = $1 and id = $2`;

/** Runs a change by better-auth and its entry in the log as one transaction. Logs a wrong current password too. */
function logChange(
  auth: DashboardAuth,
  request: FastifyRequest,
  path: string,
  body: object,
  { event, ends }: AccountChange,
): Promise<Response> {
  return auth.database.transact(anonymous(request), async (client) => {
    const found = await auth.api.getSession({
      headers: authHeaders(request),
      query: { disableRefresh: true },
    });
    if (found === null) return forward(auth, request, path, body);
    const { user: person, session } = found;
    requireSamePerson(request, person.id);
    // No session of the person starts until the transaction ends: a new password would not end it.
    await lockPerson(client, person.id);
    const before = await sessionsOf(client, person.id);
    // better-auth would list a limited number of them, and end one after the other.
    const endsOthers = path === REVOKE_OTHERS && before.includes(session.token);
    if (endsOthers) await endSessions(client, person.id, ends, session.token);
    const response = endsOthers ? Response.json({ status: true }) : await forward(auth, request, path, body);
    // They may be those of somebody with the old password.
    if (response.ok && ends === 'password_changed') await client.query(endWaitingSignIns(person.id));
    const after = new Set(await sessionsOf(client, person.id));
    const endedNow = before.filter((token) => !after.has(token));
    await noteEnded(client, endedNow, ends);
    const entry = response.ok
      ? event(Math.max(0, before.length - after.size))
      : (await errorBody(response)).code === WRONG_PASSWORD
        ? { kind: 'account.password_check_failed' as const, details: { action: path.slice(1) } }
        : undefined;
    if (entry !== undefined) await recordPersonal(client, acting(request, person), person, entry);
    return response;
  });
}

const selectTokens = statement('tokens_of_sessions', 'request')`
  select token from sessions where user_id = $1 and expires_at > now()`;

/** The tokens of the person's sessions. */
async function sessionsOf(client: pg.ClientBase, userId: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ token: string }>(selectTokens(userId));
  return rows.map(({ token }) => token);
}
