import type { FastifyInstance, FastifyRequest } from 'fastify';
import type pg from 'pg';
import { Type } from 'typebox';
import { statement } from '../../database/statement.ts';
import { ApiError } from '../../http/errors.ts';
import type { DashboardContext } from '../context.ts';
import { lockPerson } from '../people/accounts.ts';
import { defineBody, flag, newPassword, text } from '../requests/body.ts';
import { acting, anonymous, authHeaders } from '../requests/session.ts';
import { countFailure, sessionBudgets } from './attempts.ts';
import { type PersonalEvent, recordPersonal } from './events.ts';
import type { DashboardAuth } from './index.ts';
import { errorBody, forward, sendResponse } from './proxy.ts';
import { personOfSession } from './second-step.ts';

const nothing = defineBody({});
const password = defineBody({ password: text });
const session = defineBody({ id: text });

/** A path of better-auth where a signed-in person changes the account or ends sessions. */
interface AccountChange {
  readonly check: (body: unknown) => object;
  /** The entry in the log. Undefined: nothing has changed, or a hook has logged it. */
  readonly event: (sessionsEnded: number) => PersonalEvent | undefined;
  /** Whether the change needs the current password. */
  readonly withPassword?: boolean;
}

const ended = (sessions: number): PersonalEvent | undefined =>
  sessions === 0 ? undefined : { kind: 'session.ended', details: { sessions } };

const READS = ['/get-session', '/list-sessions'] as const;
const CHANGES: Readonly<Record<string, AccountChange>> = {
  '/sign-out': { check: nothing, event: ended },
  '/revoke-sessions': { check: nothing, event: ended },
  '/revoke-other-sessions': { check: nothing, event: ended },
  '/change-password': {
    check: defineBody({ currentPassword: text, newPassword, revokeOtherSessions: Type.Optional(flag) }),
    event: (sessionsEnded) => ({ kind: 'account.password_changed', details: { sessionsEnded } }),
    withPassword: true,
  },
  '/two-factor/enable': {
    check: password,
    event: () => ({ kind: 'account.second_factor_started' }),
    withPassword: true,
  },
  '/two-factor/disable': { check: password, event: () => undefined, withPassword: true },
  '/two-factor/generate-backup-codes': {
    check: password,
    event: () => ({ kind: 'account.backup_codes_created' }),
    withPassword: true,
  },
};

/** better-auth's code for a wrong current password. */
const WRONG_PASSWORD = 'INVALID_PASSWORD';

/** The account and the sessions of a person who is signed in. Only these paths and those of sign-in.ts reach better-auth. */
export function registerAccount(api: FastifyInstance, { people, auth }: DashboardContext): void {
  for (const path of READS) {
    api.get(`/auth${path}`, async (request, reply) =>
      sendResponse(reply, await forward(auth, request, path)),
    );
  }

  for (const [path, { check, event, withPassword = false }] of Object.entries(CHANGES)) {
    api.post(`/auth${path}`, async (request, reply) => {
      const body = check(request.body);
      const change = (): Promise<Response> => logChange(auth, request, path, body, event);
      const userId = withPassword ? await personOfSession(people, request) : undefined;
      const response =
        userId === undefined ? await change() : await countFailure(people, sessionBudgets(userId), change);
      return sendResponse(reply, response);
    });
  }

  // better-auth identifies the session to end by its token, which no response holds. Clients send the id.
  api.post('/auth/revoke-session', async (request, reply) => {
    const { id } = session(request.body);
    const listed = await forward(auth, request, '/list-sessions');
    if (!listed.ok) return sendResponse(reply, listed);
    const own = (await listed.json()) as readonly { readonly id: string; readonly token: string }[];
    const token = own.find((other) => other.id === id)?.token;
    if (token === undefined) throw new ApiError('not_found', 'There is no such session.');
    return sendResponse(reply, await logChange(auth, request, '/revoke-session', { token }, ended));
  });
}

/** Runs a change by better-auth and its entry in the log as one transaction. Logs a wrong current password too. */
function logChange(
  auth: DashboardAuth,
  request: FastifyRequest,
  path: string,
  body: object,
  event: AccountChange['event'],
): Promise<Response> {
  return auth.database.transact(anonymous(request), async (client) => {
    const found = await auth.api.getSession({
      headers: authHeaders(request),
      query: { disableRefresh: true },
    });
    const person = found?.user;
    if (person === undefined) return forward(auth, request, path, body);
    // No session of the person starts until the transaction ends: a new password would not end it.
    await lockPerson(client, person.id);
    const before = await countSessions(client, person.id);
    const response = await forward(auth, request, path, body);
    const after = await countSessions(client, person.id);
    const entry = response.ok
      ? event(Math.max(0, before - after))
      : (await errorBody(response)).code === WRONG_PASSWORD
        ? { kind: 'account.password_check_failed' as const, details: { action: path.slice(1) } }
        : undefined;
    if (entry !== undefined) await recordPersonal(client, acting(request, person), person, entry);
    return response;
  });
}

const selectSessionCount = statement('count_sessions', 'request')`
  select count(*)::int as sessions from sessions where user_id = $1 and expires_at > now()`;

async function countSessions(client: pg.ClientBase, userId: string): Promise<number> {
  const { rows } = await client.query<{ sessions: number }>(selectSessionCount(userId));
  return rows[0]?.sessions ?? 0;
}
