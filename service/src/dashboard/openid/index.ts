import { createProvider, type Identity, type Provider } from '@svc/openid-sign-in';
import { isAllowedDomain } from '@svc/openid-sign-in/settings';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { OidcSettings } from '../../config/oidc.ts';
import { ApiError } from '../../http/errors.ts';
import { countFailure, isFirstUse, openIdBudgets } from '../auth/attempts.ts';
import { type PersonKey, recordPersonal } from '../auth/events.ts';
import type { DashboardContext } from '../context.ts';
import { OPENID_ANSWER_MAX_CHARACTERS, OPENID_ATTEMPT_SECONDS } from '../limits.ts';
import { lockPerson } from '../people/accounts.ts';
import { defineBody, email as emailAddress, text } from '../requests/body.ts';
import { openIdCookie, presentPerson } from '../requests/cookies.ts';
import { notSignedIn } from '../requests/ended-sessions.ts';
import { acting, anonymous, authHeaders, type Person, setCookies } from '../requests/session.ts';
import type { ProviderAddress, ProviderSignIn, SignInMethods, SignInProvider } from '../wire.ts';
import { connect, createNewcomer, disconnect, findConnected, findEarlier, readMethods } from './accounts.ts';
import { type Attempt, attemptOf, attemptText, newAttempt, pagePath, secretsOf } from './attempt.ts';
import { redirectUriOf } from './check.ts';
import { askProvider } from './failures.ts';
import { requirePassword } from './password.ts';

const answerText = Type.String({
  maxLength: OPENID_ANSWER_MAX_CHARACTERS,
  allowed: `text of at most ${OPENID_ANSWER_MAX_CHARACTERS} characters`,
});
const start = defineBody({ next: Type.Optional(pagePath) });
const password = defineBody({ password: text });
const finish = defineBody({
  state: text,
  code: Type.Optional(answerText),
  iss: Type.Optional(answerText),
  error: Type.Optional(answerText),
});
const isEmail = (value: string): boolean => {
  try {
    return checkEmail({ email: value }).email === value;
  } catch {
    return false;
  }
};
const checkEmail = defineBody({ email: emailAddress });

interface OpenId extends DashboardContext {
  readonly oidc: OidcSettings;
  readonly provider: Provider;
}

/** Sign-in with the OpenID Connect provider, and the connection of an account to it (docs/decisions/0039). */
export function registerOpenId(api: FastifyInstance, context: DashboardContext): void {
  const { oidc, publicUrl, clock, auth, sessions, people } = context;
  const openId: OpenId | undefined = oidc && {
    ...context,
    oidc,
    provider: createProvider({ ...oidc, redirectUri: redirectUriOf(publicUrl), clock }),
  };
  const requireOpenId = (): OpenId => {
    if (openId === undefined) throw new ApiError('not_found', 'This service has no OpenID Connect provider.');
    return openId;
  };

  api.get(
    '/auth/openid',
    async (): Promise<SignInProvider> => ({
      provider:
        oidc === undefined ? null : { name: oidc.name, admitsNewcomers: oidc.newcomers !== undefined },
    }),
  );

  api.post('/auth/openid/start', async (request, reply): Promise<ProviderAddress> => {
    const { next = '/' } = start(request.body);
    return begin(requireOpenId(), reply, newAttempt(clock(), next));
  });

  api.post('/auth/openid/finish', async (request, reply): Promise<ProviderSignIn> => {
    const answer = finish(request.body);
    const own = requireOpenId();
    // Whatever follows, the attempt is used up.
    setCookies(reply, [await openIdCookie(auth, '')]);
    const { cookies, ...signedIn } = await countFailure(people, openIdBudgets(request), async () => {
      const attempt = attemptOf(request, answer.state, clock());
      if (
        attempt === undefined ||
        !(await isFirstUse(people, `openid ${answer.state}`, OPENID_ATTEMPT_SECONDS))
      )
        throw notSignedIn(
          'This sign-in was not started in this browser, was used before, or is too old. Start again.',
        );
      const identity = await askProvider(request, own.oidc, () =>
        own.provider.identify(answer, secretsOf(attempt)),
      );
      await requireAllowed(own, request, identity);
      if (attempt.person === undefined)
        return { ...(await signIn(own, request, identity)), next: attempt.next };
      const person = await sessions.require(request, reply);
      await connectAccount(own, request, person, attempt.person, identity);
      return { cookies: [], next: attempt.next };
    });
    setCookies(reply, cookies);
    return signedIn;
  });

  api.get('/auth/methods', async (request, reply): Promise<SignInMethods> => {
    const person = await sessions.require(request, reply);
    return readMethods(people, person.id, oidc?.issuer);
  });

  api.post('/auth/openid/connect', async (request, reply): Promise<ProviderAddress> => {
    const body = password(request.body);
    const own = requireOpenId();
    const person = await sessions.require(request, reply);
    const present = await presentPerson(auth, person.id);
    await requirePassword(own, request, person, body.password, 'openid/connect');
    return begin(own, reply, newAttempt(clock(), '/account', present));
  });

  api.post('/auth/openid/disconnect', async (request, reply) => {
    const body = password(request.body);
    const own = requireOpenId();
    const person = await sessions.require(request, reply);
    // A person with a password can still sign in.
    await requirePassword(own, request, person, body.password, 'openid/disconnect');
    await auth.database.transact(acting(request, person), async (client) => {
      if (!(await disconnect(client, person.id, own.oidc.issuer))) return;
      const event = { kind: 'account.provider_disconnected' } as const;
      await recordPersonal(client, acting(request, person), person, event);
    });
    return reply.code(204).send();
  });
}

async function begin({ auth, oidc, provider }: OpenId, reply: FastifyReply, attempt: Attempt) {
  const url = await askProvider(reply.request, oidc, () => provider.authorizationUrl(secretsOf(attempt)));
  setCookies(reply, [await openIdCookie(auth, attemptText(attempt))]);
  return { url };
}

/** Throws `insufficient_scope` unless the provider confirms an address of an allowed domain, if domains are set. */
async function requireAllowed(own: OpenId, request: FastifyRequest, identity: Identity): Promise<void> {
  const { name, allowedDomains } = own.oidc;
  if (allowedDomains === undefined) return;
  const { email, emailVerified } = identity;
  if (emailVerified && email !== undefined && isAllowedDomain(email, allowedDomains)) return;
  const known = await findConnected(own.people, identity);
  if (known !== undefined) await recordFailure(own, request, known);
  throw emailVerified && email !== undefined ? notAllowed(name) : unverified(name);
}

const notAllowed = (name: string): ApiError =>
  new ApiError(
    'insufficient_scope',
    `Email addresses of this domain may not sign in with ${name}. Ask the operator.`,
  );

const unverified = (name: string): ApiError =>
  new ApiError(
    'insufficient_scope',
    `${name} does not confirm that your email address is yours. Verify it there first.`,
  );

/** Signs the person of the identity in, or a newcomer. Throws `conflict` and `insufficient_scope`. */
async function signIn(own: OpenId, request: FastifyRequest, identity: Identity) {
  const { auth, sessions, people, oidc } = own;
  const by = anonymous(request);
  const known = await findConnected(people, identity);
  const email = known === undefined ? await newEmail(own, request, identity) : '';
  return auth.database.transact(by, async (client) => {
    const newcomers = oidc.newcomers;
    if (known === undefined && newcomers !== undefined) {
      const userId = await createNewcomer(client, auth, by, { ...identity, email }, newcomers);
      return { cookies: await sessions.start(request, userId, 'openid') };
    }
    if (known === undefined) throw noAccount(oidc.name, email);
    // A new password or second factor ends the sessions that exist, so this one waits for it.
    await lockPerson(client, known.id);
    const current = await findConnected(client, identity);
    if (current === undefined) throw notSignedIn('The account has changed during this sign-in. Start again.');
    if (!current.secondFactor) return { cookies: await sessions.start(request, current.id, 'openid') };
    await recordPersonal(client, by, current, { kind: 'session.provider_accepted' });
    const body = { userId: current.id };
    const started = await auth.api.startSecondStep({
      body,
      headers: authHeaders(request),
      returnHeaders: true,
    });
    return { cookies: started.headers.getSetCookie(), twoFactorRedirect: true };
  });
}

/** The verified address of a person without a connected account. Throws if it cannot be that of a newcomer. */
async function newEmail(own: OpenId, request: FastifyRequest, identity: Identity): Promise<string> {
  const { people, oidc } = own;
  const { email, emailVerified } = identity;
  if (!emailVerified || email === undefined || !isEmail(email)) throw unverified(oidc.name);
  const earlier = await findEarlier(people, identity, email);
  if (earlier !== undefined) {
    await recordFailure(own, request, earlier);
    throw new ApiError(
      'conflict',
      `There is an account for ${email} or this sign-in, perhaps with another address now. ` +
        `Sign in with its password, then connect ${oidc.name} on the account page, or ask for an invitation.`,
    );
  }
  if (oidc.newcomers === undefined) throw noAccount(oidc.name, email);
  return email;
}

const noAccount = (name: string, email: string): ApiError =>
  new ApiError(
    'insufficient_scope',
    `No account is connected to ${email} of ${name}. Ask an owner or admin of a workspace to invite you.`,
  );

const recordFailure = ({ auth }: OpenId, request: FastifyRequest, person: PersonKey): Promise<void> =>
  auth.database.transact(anonymous(request), (client) =>
    recordPersonal(client, anonymous(request), person, {
      kind: 'session.sign_in_failed',
      details: { method: 'openid' },
    }),
  );

/** Connects the account of the person who `began` it with the same password. Throws `not_signed_in` and `conflict`. */
async function connectAccount(
  { auth, oidc }: OpenId,
  request: FastifyRequest,
  person: Person,
  began: string,
  identity: Identity,
): Promise<void> {
  const by = acting(request, person);
  await auth.database.transact(by, async (client) => {
    await lockPerson(client, person.id);
    if ((await presentPerson(auth, person.id)) !== began)
      throw notSignedIn('Another person has signed in, or the password has changed. Start again.');
    if ((await findConnected(client, identity))?.id === person.id) return;
    const { providerSince } = await readMethods(client, person.id, oidc.issuer);
    if (providerSince !== null)
      throw new ApiError(
        'conflict',
        `Your account has another connection to ${oidc.name}. Disconnect it first.`,
      );
    await connect(auth, person.id, identity);
    await recordPersonal(client, by, person, { kind: 'account.provider_connected' });
  });
}
