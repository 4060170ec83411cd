import { isDeepStrictEqual } from 'node:util';
import { whenClosed } from '@svc/http-content/reply-end';
import { ERRORS } from '@svc/sdk/contract';
import type { Queryable } from '@svc/turns/lane';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { statement } from '../../database/statement.ts';
import { ApiError } from '../../http/errors.ts';
import type { DashboardContext } from '../context.ts';
import { findUser, lockPerson } from '../people/accounts.ts';
import { defineBody, flag, text } from '../requests/body.ts';
import { deviceCookie, type PersonOfDevice } from '../requests/cookies.ts';
import { notSignedIn } from '../requests/ended-sessions.ts';
import { requireSamePerson } from '../requests/same-person.ts';
import { anonymous } from '../requests/session.ts';
import { codeBudgets, countFailure, passwordBudgets, sessionBudgets } from './attempts.ts';
import { METHODS, type PersonKey, recordPersonal } from './events.ts';
import type { DashboardAuth } from './index.ts';
import { forward, sendResponse } from './proxy.ts';
import {
  openFactor,
  personOfSession,
  personOfStep,
  SECOND_STEPS,
  useCode,
  usedCode,
  WRONG_CODES,
} from './second-step.ts';

const SIGN_IN = '/sign-in/email';
const password = defineBody({ email: text, password: text, rememberMe: Type.Optional(flag) });
const code = defineBody({ code: text });

/** Sign-in with a password, and the second step with a code. */
export function registerSignIn(api: FastifyInstance, { people, auth }: DashboardContext): void {
  const { record, attempt } = failedSignIns(api, auth);

  api.post(
    `/auth${SIGN_IN}`,
    attempt(async (request, reply) => {
      const body = password(request.body);
      const account = body.email.toLowerCase();
      try {
        const person = await credentialsOf(people, (await findUser(people, account))?.id);
        const response = await countFailure(
          people,
          passwordBudgets(request, account, person),
          () => withSameCredentials(people, person, () => forward(auth, request, SIGN_IN, body)),
          ({ status }) => status === ERRORS.not_signed_in.status,
        );
        const cookies =
          person !== undefined && startsSession(response) ? [await deviceCookie(auth, request, person)] : [];
        return await sendResponse(reply, response, { cookies });
      } catch (error) {
        if (error instanceof ApiError && error.code === 'not_signed_in') {
          // Before the response, the entry would delay it only if the address has an account, and so reveal the account.
          whenClosed(reply, () => record(request, SIGN_IN, { email: account }));
        }
        throw error;
      }
    }),
  );

  for (const path of SECOND_STEPS) {
    api.post(
      `/auth${path}`,
      attempt(async (request, reply) => {
        const body = code(request.body);
        const signedIn = await personOfSession(people, request);
        if (signedIn !== undefined) requireSamePerson(request, signedIn);
        const person = await credentialsOf(people, signedIn ?? (await personOfStep(people, request)));
        if (person === undefined) return sendResponse(reply, await forward(auth, request, path, body));
        const userId = person.id;
        const refused = (): void => {
          if (signedIn === undefined) record(request, path, { id: userId });
        };
        const budgets = signedIn === undefined ? codeBudgets(request, person) : sessionBudgets(userId);
        const response = await countFailure(people, budgets, async () => {
          const factor = await openFactor(people, auth, userId);
          if (factor !== undefined && !(await useCode(people, auth, path, factor, body.code))) {
            refused();
            throw usedCode();
          }
          const step = (): Promise<Response> => forward(auth, request, path, body);
          if (signedIn === undefined) return withSameCredentials(people, person, step);
          // No session of the person starts until the transaction ends: switching the second factor on would not end it.
          return auth.database.transact(anonymous(request), async (client) => {
            await lockPerson(client, userId);
            return step();
          });
        });
        return sendResponse(reply, response, {
          cookies: response.ok ? [await deviceCookie(auth, request, person)] : [],
          onRefused: (name) => {
            if (WRONG_CODES.has(name)) refused();
          },
        });
      }),
    );
  }
}

/** Whether the response starts a session. It does not if the second step follows. */
const startsSession = (response: Response): boolean =>
  response.ok && response.headers.getSetCookie().some((cookie) => /session_token=[^;]/.test(cookie));

const deleteSignIn = statement('cancel_sign_in', 'request')`
  with second_steps as (delete from verifications where value = $1)
  delete from sessions where user_id = $1 and token = $2`;

const selectCredentials = statement('credentials_of_user', 'request')`
  select id, two_factor_enabled as "secondFactor",
    (select password from accounts where provider_id = 'credential' and account_id = $1) as password
  from users where id = $1`;

const waitForPerson = statement('wait_for_person', 'request')`
  select 1 from users where id = $1 for key share`;

/** What a sign-in of the person needs. */
interface Credentials extends PersonOfDevice {
  readonly secondFactor: boolean;
}

async function credentialsOf(pool: Queryable, userId: string | undefined): Promise<Credentials | undefined> {
  const { rows } = await pool.query<Credentials>(selectCredentials(userId ?? null));
  return rows[0];
}

/**
 * Runs a step of a sign-in, and undoes it if the person's password or second factor changes at the same time. The change
 * ends the sessions that exist, but this one may start later, with the old credentials. Throws `not_signed_in`.
 */
async function withSameCredentials(
  pool: Queryable,
  before: Credentials | undefined,
  step: () => Promise<Response>,
): Promise<Response> {
  const response = await step();
  if (!response.ok) return response;
  let isSame = false;
  try {
    // A change that has locked the person did not see this sign-in. It ends before the next statement.
    await pool.query(waitForPerson(before?.id ?? null));
    isSame = isDeepStrictEqual(await credentialsOf(pool, before?.id), before);
  } finally {
    // Also if the wait fails.
    if (!isSame) await undoSignIn(pool, before?.id, response);
  }
  if (isSame) return response;
  throw notSignedIn('The password or the second factor was changed during this sign-in. Sign in again.');
}

async function undoSignIn(pool: Queryable, userId: string | undefined, response: Response): Promise<void> {
  const { token } = (await response.json()) as { readonly token?: string };
  // Not null: for it, Citus would delete nothing at all.
  await pool.query(deleteSignIn(userId, token ?? ''));
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/**
 * Logs failed sign-ins. Closing the application waits for the attempts that have begun and for their entries, and refuses
 * new attempts.
 */
function failedSignIns(api: FastifyInstance, auth: DashboardAuth) {
  /** Attempts and entries. None of them rejects. */
  const unfinished = new Set<Promise<unknown>>();
  const waitFor = (work: Promise<unknown>): void => {
    unfinished.add(work);
    void work.finally(() => unfinished.delete(work));
  };
  let closing = false;
  api.addHook('preClose', async () => {
    closing = true;
  });
  api.addHook('onClose', async () => {
    while (unfinished.size > 0) await Promise.all(unfinished);
  });
  return {
    /** The handler of an attempt, which ends when its response is closed. */
    attempt:
      (handler: Handler): Handler =>
      async (request, reply) => {
        if (closing) throw new ApiError('unavailable', 'The service is stopping. Try again in a moment.');
        const closed = new Promise<void>((resolve) => whenClosed(reply, resolve));
        const response = handler(request, reply);
        waitFor(Promise.allSettled([response, closed]));
        return response;
      },
    /** `person`: the person whose account it is. */
    record: (request: FastifyRequest, path: string, person: PersonKey): void => {
      const by = anonymous(request);
      const details = { method: METHODS[path] ?? path };
      const entry = auth.database
        .transact(by, (client) =>
          recordPersonal(client, by, person, { kind: 'session.sign_in_failed', details }),
        )
        .catch((error: unknown) => request.log.error({ err: error }, 'a failed sign-in could not be logged'));
      waitFor(entry);
    },
  };
}
