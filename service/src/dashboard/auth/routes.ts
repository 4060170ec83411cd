import { ERRORS } from '@svc/sdk/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type pg from 'pg';
import { Type } from 'typebox';
import type { Queryable } from '../../database/lane.ts';
import { ApiError } from '../../http/errors.ts';
import { rateLimitKey } from '../../http/proxies.ts';
import { findUser } from '../people/accounts.ts';
import { defineBody, flag, newPassword, text } from '../requests/body.ts';
import { anonymous, authHeaders, setCookies } from '../requests/session.ts';
import { type AccountChange, logAccountChange } from './account-changes.ts';
import { type Attempt, codeBudgets, countFailure, passwordBudgets, sessionBudgets } from './attempts.ts';
import { deviceCookie, knownDevice } from './cookies/known-device.ts';
import { METHODS, type PersonKey, recordPersonal } from './events.ts';
import { authFailure } from './failure.ts';
import { AUTH_PATH, type DashboardAuth } from './index.ts';
import { withSamePassword } from './same-password.ts';
import {
  openFactor,
  personOfStep,
  SECOND_STEPS,
  useCode,
  usedCode,
  WRONG_CODES,
} from './second-factor/second-step.ts';
import { withoutTokens } from './without-tokens.ts';

const nothing = defineBody({});
const optional = Type.Optional(flag);
const password = defineBody({ password: text });
const code = defineBody({ code: text });
const session = defineBody({ id: text });
const signIn = defineBody({ email: text, password: text, rememberMe: optional });

/**
 * The paths of better-auth that can be reached, with what their bodies may hold. All others are off: accounts,
 * workspaces and members have endpoints of our own.
 */
const READS = ['/get-session', '/list-sessions'] as const;
const CHANGES = [
  ['/sign-out', nothing],
  ['/change-password', defineBody({ currentPassword: text, newPassword, revokeOtherSessions: optional })],
  ['/revoke-sessions', nothing],
  ['/revoke-other-sessions', nothing],
  ['/two-factor/enable', password],
  ['/two-factor/disable', password],
  ['/two-factor/generate-backup-codes', password],
] as const satisfies readonly (readonly [AccountChange, (body: unknown) => object])[];
/** Those that ask for the current password. */
const WITH_PASSWORD: ReadonlySet<AccountChange> = new Set([
  '/change-password',
  '/two-factor/enable',
  '/two-factor/disable',
  '/two-factor/generate-backup-codes',
]);

/** Hands requests below /dashboard/api/auth to better-auth; its failures leave in our envelope. */
export function registerAuth(
  api: FastifyInstance,
  {
    pool,
    auth,
    publicUrl,
  }: { readonly pool: Queryable; readonly auth: DashboardAuth; readonly publicUrl: string },
): void {
  const { origin } = new URL(publicUrl);
  const forward = async (request: FastifyRequest, path: string, body?: object): Promise<Response> => {
    const headers = authHeaders(request);
    // Where the request comes from was checked for the whole scope; better-auth's own check wants an Origin even
    // from what is no browser.
    headers.set('origin', origin);
    if (body !== undefined) headers.set('content-type', 'application/json');
    const handed = new Request(`${origin}${AUTH_PATH}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    return auth.database.run(anonymous(request), () => auth.handler(handed));
  };
  const proxy = async (
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
    body?: object,
  ): Promise<FastifyReply> => answer(reply, await forward(request, path, body));

  const deviceCookies = async (request: FastifyRequest, userId: string): Promise<readonly string[]> => [
    await deviceCookie(auth, request, userId),
  ];

  for (const path of READS) {
    api.get(`/auth${path}`, (request, reply) => proxy(request, reply, path));
  }
  for (const [path, check] of CHANGES) {
    api.post(`/auth${path}`, async (request, reply) => {
      const body = check(request.body);
      const change = (): Promise<Response> =>
        logAccountChange(auth, request, path, () => forward(request, path, body));
      const userId = WITH_PASSWORD.has(path)
        ? await personOfSession(pool, request.signInCookies.session_token)
        : undefined;
      const response =
        userId === undefined ? await change() : await countFailure(pool, sessionBudgets(userId), change);
      return answer(reply, response);
    });
  }
  // better-auth wants the token of the session that ends, which nobody is told: its id finds it among the person's own.
  api.post('/auth/revoke-session', async (request, reply) => {
    const { id } = session(request.body);
    const listed = await forward(request, '/list-sessions');
    if (!listed.ok) return answer(reply, listed);
    const own = (await listed.json()) as readonly { readonly id: string; readonly token: string }[];
    const token = own.find((other) => other.id === id)?.token;
    if (token === undefined) throw new ApiError('not_found', 'You have no such session.');
    const path = '/revoke-session';
    return answer(
      reply,
      await logAccountChange(auth, request, path, () => forward(request, path, { token })),
    );
  });
  const { record, begin, end } = failedSignIns(api, auth);
  api.post(
    '/auth/sign-in/email',
    {
      onRequest: begin,
      onResponse: async (request, { statusCode }) => {
        if (statusCode === ERRORS.not_signed_in.status) {
          const email = signIn(request.body).email.toLowerCase();
          record(request, '/sign-in/email', async () => ({ email }));
        }
        await end(request);
      },
    },
    async (request, reply) => {
      const body = signIn(request.body);
      const account = body.email.toLowerCase();
      const user = await findUser(pool, account);
      const budgets = passwordBudgets(account, attemptOf(request, user?.id));
      const response = await countFailure(
        pool,
        budgets,
        () => withSamePassword(pool, user?.id, () => forward(request, '/sign-in/email', body)),
        ({ status }) => status === ERRORS.not_signed_in.status,
      );
      const known = user !== undefined && entered(response) ? await deviceCookies(request, user.id) : [];
      return answer(reply, response, { cookies: known });
    },
  );
  for (const path of SECOND_STEPS) {
    api.post(`/auth${path}`, { onRequest: begin, onResponse: end }, async (request, reply) => {
      const body = code(request.body);
      const { session_token, two_factor } = request.signInCookies;
      const signedIn = await personOfSession(pool, session_token);
      const enters = signedIn === undefined ? await personOfStep(pool, two_factor) : undefined;
      const refused = (): void => {
        if (enters !== undefined) record(request, path, async () => ({ id: enters }));
      };
      const userId = signedIn ?? enters;
      if (userId === undefined) return proxy(request, reply, path, body);
      const budgets =
        signedIn === undefined ? codeBudgets(userId, attemptOf(request, userId)) : sessionBudgets(userId);
      const response = await countFailure(pool, budgets, async () => {
        const factor = await openFactor(pool, auth, userId);
        if (factor !== undefined && !(await useCode(pool, auth, path, factor, body.code))) {
          refused();
          throw usedCode();
        }
        return withSamePassword(pool, userId, () => forward(request, path, body));
      });
      return answer(reply, response, {
        cookies: response.ok ? await deviceCookies(request, userId) : [],
        onRefused: (name) => {
          if (WRONG_CODES.has(name)) refused();
        },
      });
    });
  }
}

const attemptOf = (request: FastifyRequest, userId: string | undefined): Attempt => ({
  address: rateLimitKey(request),
  knownDevice: knownDevice(request, userId),
});

/** Whether a session has started: not when the second factor is still to come. */
const entered = (response: Response): boolean =>
  response.ok && response.headers.getSetCookie().some((cookie) => /session_token=[^;]/.test(cookie));

interface AnswerExtras {
  /** Set after those of better-auth. */
  readonly cookies?: readonly string[];
  /** Is told better-auth's own name for a refusal. */
  readonly onRefused?: (name: string) => void;
}

async function answer(
  reply: FastifyReply,
  response: Response,
  { cookies = [], onRefused }: AnswerExtras = {},
): Promise<FastifyReply> {
  setCookies(reply, [...response.headers.getSetCookie(), ...cookies]);
  const content = await response.text();
  if (response.ok) return reply.type('application/json; charset=utf-8').send(withoutTokens(content));
  const body = parsed(content);
  if ('code' in body && typeof body.code === 'string') onRefused?.(body.code);
  const failure = authFailure(response.status, body, response.headers.get('x-retry-after'));
  throw failure ?? new Error(`better-auth answered with the status ${response.status}`);
}

/**
 * Logs failed sign-ins once the answer has left: before it, the time that the answer takes would tell whether the
 * address has an account. Closing the application
 * waits for the attempts that have begun and for their entries, and refuses further ones.
 */
function failedSignIns(api: FastifyInstance, auth: DashboardAuth) {
  const running = new Set<Promise<void>>();
  const attempts = new Map<FastifyRequest, () => void>();
  let closing = false;
  api.addHook('preClose', async () => {
    closing = true;
  });
  api.addHook('onClose', async () => {
    while (running.size > 0) await Promise.all(running);
  });
  const begin = async (request: FastifyRequest): Promise<void> => {
    if (closing) throw new ApiError('unavailable', 'The service is stopping. Try again in a moment.');
    const { promise, resolve } = Promise.withResolvers<void>();
    running.add(promise);
    attempts.set(request, () => {
      running.delete(promise);
      resolve();
    });
  };
  const end = async (request: FastifyRequest): Promise<void> => {
    attempts.get(request)?.();
    attempts.delete(request);
  };
  const record = (
    request: FastifyRequest,
    path: string,
    find: (client: pg.ClientBase) => Promise<PersonKey | undefined>,
  ): void => {
    const by = anonymous(request);
    const recording = auth.database
      .transact(by, async (client) => {
        // As whom somebody tried to sign in; undefined: nobody can tell.
        const person = await find(client);
        if (person === undefined) return;
        await recordPersonal(client, by, person, (target) => ({
          kind: 'session.sign_in_failed',
          target,
          details: { method: METHODS[path] ?? path },
        }));
      })
      .catch((error: unknown) => request.log.error({ err: error }, 'a failed sign-in could not be logged'))
      .finally(() => running.delete(recording));
    running.add(recording);
  };
  return { record, begin, end };
}

/** Whose session it is, by the token in its cookie; better-auth prefers a session to a second step. */
async function personOfSession(pool: Queryable, token: string | undefined): Promise<string | undefined> {
  if (token === undefined) return undefined;
  const { rows } = await pool.query<{ id: string }>(
    'select user_id as id from sessions where token = $1 and expires_at > now()',
    [token],
  );
  return rows[0]?.id;
}

function parsed(content: string): object {
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
