import { isDeepStrictEqual } from 'node:util';
import { ERRORS } from '@svc/sdk/contract';
import type { Queryable } from '@svc/turns/lane';
import type { FastifyInstance, FastifyRequest } from 'fastify';
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
  const { record, begin, end } = failedSignIns(api, auth);

  api.post(
    `/auth${SIGN_IN}`,
    {
      onRequest: begin,
      onResponse: async (request, { statusCode }) => {
        if (statusCode === ERRORS.not_signed_in.status) {
          record(request, SIGN_IN, { email: password(request.body).email.toLowerCase() });
        }
        await end(request);
      },
    },
    async (request, reply) => {
      const body = password(request.body);
      const account = body.email.toLowerCase();
      const person = await credentialsOf(people, (await findUser(people, account))?.id);
      const response = await countFailure(
        people,
        passwordBudgets(request, account, person),
        () => withSameCredentials(people, person, () => forward(auth, request, SIGN_IN, body)),
        ({ status }) => status === ERRORS.not_signed_in.status,
      );
      const cookies =
        person !== undefined && startsSession(response) ? [await deviceCookie(auth, request, person)] : [];
      return sendResponse(reply, response, { cookies });
    },
  );

  for (const path of SECOND_STEPS) {
    api.post(`/auth${path}`, { onRequest: begin, onResponse: end }, async (request, reply) => {
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
    });
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
  if (!response.ok || isDeepStrictEqual(await credentialsOf(pool, before?.id), before)) return response;
  const { token } = (await response.json()) as { readonly token?: string };
  // Not null: for it, Citus would delete nothing at all.
  await pool.query(deleteSignIn(before?.id, token ?? ''));
  throw notSignedIn('The password or the second factor was changed during this sign-in. Sign in again.');
}

/**
 * Logs failed sign-ins after the response has left. Before it, the entry would delay the response only if the address has
 * an account, and so reveal the account. Closing the application waits for the attempts that have begun and for their
 * entries, and refuses new attempts.
 */
function failedSignIns(api: FastifyInstance, auth: DashboardAuth) {
  const attempts = new Map<FastifyRequest, PromiseWithResolvers<void>>();
  const entries = new Set<Promise<void>>();
  let closing = false;
  api.addHook('preClose', async () => {
    closing = true;
  });
  api.addHook('onClose', async () => {
    while (attempts.size + entries.size > 0) {
      await Promise.all([...[...attempts.values()].map(({ promise }) => promise), ...entries]);
    }
  });
  return {
    begin: async (request: FastifyRequest): Promise<void> => {
      if (closing) throw new ApiError('unavailable', 'The service is stopping. Try again in a moment.');
      attempts.set(request, Promise.withResolvers());
    },
    end: async (request: FastifyRequest): Promise<void> => {
      attempts.get(request)?.resolve();
      attempts.delete(request);
    },
    /** `person`: the person whose account it is. */
    record: (request: FastifyRequest, path: string, person: PersonKey): void => {
      const by = anonymous(request);
      const details = { method: METHODS[path] ?? path };
      const entry = auth.database
        .transact(by, (client) =>
          recordPersonal(client, by, person, { kind: 'session.sign_in_failed', details }),
        )
        .catch((error: unknown) => request.log.error({ err: error }, 'a failed sign-in could not be logged'))
        .finally(() => entries.delete(entry));
      entries.add(entry);
    },
  };
}
