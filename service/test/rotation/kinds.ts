import type { SealedKind } from '@svc/deployment-secrets';
import { createSecretSealer } from '@svc/deployment-secrets/sealed';
import type { AnyErrorCode } from '@svc/sdk/contract';
import { expect } from 'vitest';
import { resealSecondFactors } from '../../src/dashboard/auth/sealed-factors.ts';
import { companies } from '../../src/resources/index.ts';
import { resealEndpointSecrets } from '../../src/webhooks/reseal.ts';
import { finish, goToProvider, openProvider, settingsFor } from '../dashboard/openid.ts';
import { createTestDashboard, PASSWORD, sessionCookie, type Visitor } from '../harness/dashboard.ts';
import { seedRecords } from '../harness/records.ts';
import { createTestService, TEST_SECRET, type TestAnswer, type TestService } from '../harness/service.ts';
import { totpCode } from '../harness/totp.ts';

const OLD = TEST_SECRET;
export const NEW = 'a newer secret of the tests, 32 characters or more';

const provider = await openProvider();
const oidc = settingsFor(provider);
export const old = await createTestService({ secrets: [OLD], oidc });
const { database, clock } = old;
export const { pool } = old;
export const prepared = await createTestService({ database, clock, secrets: [OLD, NEW], oidc });
export const rotated = await createTestService({ database, clock, secrets: [NEW, OLD], oidc });
export const done = await createTestService({ database, clock, secrets: [NEW], oidc });

export const dashboard = createTestDashboard(old);
let addresses = 0;
export const seenCookies = new Set<string>();

/** A request to a node's dashboard, from an address that no other request uses. */
export async function send(node: TestService, path: string, body?: object, cookie = ''): Promise<TestAnswer> {
  const options = { remoteAddress: `10.4.0.${++addresses}`, headers: { cookie } };
  const method = body === undefined ? 'GET' : 'POST';
  const answer = await createTestDashboard(node).nobody.send(method, path, body, options);
  for (const [name, pair] of cookiesOf(answer)) if (!pair.endsWith('=')) seenCookies.add(name);
  return answer;
}

const cookiesOf = ({ headers }: TestAnswer): ReadonlyMap<string, string> =>
  new Map(
    [headers['set-cookie'] ?? []].flat().map((text) => {
      const [pair = ''] = String(text).split(';');
      return [pair.slice(0, pair.indexOf('=')), pair];
    }),
  );
const signIn = (node: TestService, email: string, rememberMe = true): Promise<TestAnswer> =>
  send(node, '/auth/sign-in/email', { email, password: PASSWORD, rememberMe });

interface Protected {
  readonly owner: Visitor;
  readonly totpURI: string;
  readonly backupCodes: readonly string[];
}

/** A person who set up a second factor at the node with the old secret. */
export async function withSecondFactor(): Promise<Protected> {
  const owner = await dashboard.owner();
  const enabled = await send(old, '/auth/two-factor/enable', { password: PASSWORD }, owner.cookie);
  const { totpURI, backupCodes } = enabled.json<{ totpURI: string; backupCodes: string[] }>();
  const code = totpCode(totpURI);
  expect((await send(old, '/auth/two-factor/verify-totp', { code }, owner.cookie)).status).toBe(200);
  return { owner, totpURI, backupCodes };
}

/** The second step of a sign-in at a node, after the password. */
export async function secondStep(node: TestService, { owner, totpURI }: Protected, backupCode?: string) {
  const cookie = cookiesOf(await signIn(node, owner.email)).get('svc.two_factor');
  await pool.query('update second_factors set last_used_step = null');
  return backupCode === undefined
    ? send(node, '/auth/two-factor/verify-totp', { code: totpCode(totpURI) }, cookie)
    : send(node, '/auth/two-factor/verify-backup-code', { code: backupCode }, cookie);
}

interface Kind<Value> {
  /** Creates a value at the node that has only the old secret. */
  readonly make: () => Promise<Value>;
  /** Uses the value. A node that can open it responds with 200. */
  readonly use: (node: TestService, value: Value) => Promise<TestAnswer>;
  /** The refusal of a node without its secret. */
  readonly refusal: AnyErrorCode;
  /** Makes the value depend only on the new secret. Undefined: it expires earlier. */
  readonly move: ((value: Value) => Promise<Value>) | undefined;
}
const kind = <Value>(definition: Kind<Value>): Kind<unknown> => definition as Kind<unknown>;

const reseal = async <Value>(value: Value): Promise<Value> => {
  await resealSecondFactors(pool, [NEW, OLD]);
  return value;
};
const listed = (node: TestService, token: string, cursor = '') =>
  node.request(token, `/v1/companies?limit=1${cursor}`);

/** A case for each kind of value that depends on a secret. The compiler refuses a missing one. */
export const KINDS: Readonly<Record<SealedKind, Kind<unknown>>> = {
  'API key': kind({
    make: async () => old.token(await old.workspace()),
    use: listed,
    refusal: 'invalid_key',
    move: async (token) => {
      await listed(rotated, token);
      // The request did not wait for the move.
      await expect.poll(async () => (await listed(done, token)).status).toBe(200);
      return token;
    },
  }),
  cursor: kind({
    make: async () => {
      const workspaceId = await old.workspace();
      await seedRecords(pool, workspaceId, companies, [
        { id: 'com_1', createdAt: '2026-03-01T09:30:00Z' },
        { id: 'com_2', createdAt: '2026-03-01T09:30:01Z' },
      ]);
      const first = await listed(old, await old.token(workspaceId));
      const { pagination } = first.json<{ pagination: { nextCursor: string } }>();
      return { workspaceId, cursor: `&cursor=${pagination.nextCursor}` };
    },
    // With a key of the node, so that only the cursor depends on the old secret.
    use: async (node, { workspaceId, cursor }) => listed(node, await node.token(workspaceId), cursor),
    refusal: 'invalid_cursor',
    move: undefined,
  }),
  'session cookie': kind({
    make: async () => sessionCookie(await signIn(old, (await dashboard.bootstrap()).email)) ?? '',
    use: (node, cookie) => send(node, '/me', undefined, cookie),
    refusal: 'not_signed_in',
    move: async (cookie) => sessionCookie(await send(rotated, '/me', undefined, cookie)) ?? 'not set',
  }),
  'cookie of a session that ends with the browser': kind({
    make: async () => {
      const answer = await signIn(old, (await dashboard.bootstrap()).email, false);
      await pool.query(`update sessions set expires_at = now() + interval '5 days'`);
      return [...cookiesOf(answer).values()].join('; ');
    },
    use: async (node, cookies) => {
      const answer = await send(node, '/me', undefined, cookies);
      expect(cookies).toContain('svc.dont_remember=');
      // A session that the browser is to keep would be moved on at this age, with a Max-Age.
      expect(String(answer.headers['set-cookie'])).not.toMatch(/session_token=[^,]*Max-Age/);
      return answer;
    },
    refusal: 'not_signed_in',
    move: async (cookies) =>
      [...cookiesOf(await send(rotated, '/me', undefined, cookies)).values()].join('; '),
  }),
  'cookie of the second step': kind({
    make: async () => {
      const person = await withSecondFactor();
      const cookie = cookiesOf(await signIn(old, person.owner.email)).get('svc.two_factor');
      await pool.query('update second_factors set last_used_step = null');
      return { ...person, cookie };
    },
    use: (node, { totpURI, cookie }) =>
      send(node, '/auth/two-factor/verify-totp', { code: totpCode(totpURI) }, cookie),
    refusal: 'not_signed_in',
    move: undefined,
  }),
  'cookie of a known device': kind({
    make: async () => {
      const { email } = await dashboard.bootstrap();
      return { email, cookie: cookiesOf(await signIn(old, email)).get('svc.device') };
    },
    use: async (node, { email, cookie }) => {
      await pool.query('delete from sign_in_attempts');
      await signIn(old, email);
      await pool.query('update sign_in_attempts set attempts = 1000');
      return send(node, '/auth/sign-in/email', { email, password: PASSWORD }, cookie);
    },
    refusal: 'rate_limited',
    move: async ({ email, cookie }) => {
      const answer = await send(rotated, '/auth/sign-in/email', { email, password: PASSWORD }, cookie);
      return { email, cookie: cookiesOf(answer).get('svc.device') };
    },
  }),
  'cookie of a sign-in with OpenID Connect': kind({
    make: async () => {
      const owner = await dashboard.owner();
      provider.people.set(owner.userId, { sub: owner.userId, email: owner.email, email_verified: true });
      const returned = await goToProvider(owner.send, provider, owner.userId, { password: PASSWORD });
      await finish(owner.send, { ...returned, cookie: `${owner.cookie}; ${returned.cookie}` });
      const started = await send(old, '/auth/openid/start', {});
      const cookie = cookiesOf(started).get('svc.openid');
      return { subject: owner.userId, url: started.json<{ url: string }>().url, cookie };
    },
    use: async (node, { subject, url, cookie }) => {
      await pool.query('delete from sign_in_attempts');
      return send(node, '/auth/openid/finish', await provider.signIn(url, subject), cookie);
    },
    refusal: 'not_signed_in',
    move: undefined,
  }),
  'authenticator secret': kind({
    make: withSecondFactor,
    use: (node, person) => secondStep(node, person),
    refusal: 'conflict',
    move: reseal,
  }),
  'backup codes': kind({
    make: async () => {
      const person = await withSecondFactor();
      let used = 0;
      return { person, next: () => person.backupCodes[used++] };
    },
    use: (node, { person, next }) => secondStep(node, person, next()),
    refusal: 'conflict',
    move: reseal,
  }),
  'secret of a webhook endpoint': kind({
    make: async () => {
      const owner = await dashboard.owner();
      const path = `/workspaces/${owner.workspaceId}/webhooks`;
      const body = {
        url: 'https://example.com/hook',
        description: '',
        types: null,
        companyId: null,
        ordered: true,
      };
      const created = await owner.send('POST', path, body);
      const { endpoint, secret } = created.json<{ endpoint: { id: string }; secret: string }>();
      return { owner, path: `${path}/${endpoint.id}/secret`, secret };
    },
    // On a node without the session's secret, too, so that only the secret of the endpoint depends on the old one.
    use: async (node, { owner, path, secret }) => {
      const visitor = await createTestDashboard(node).signIn(owner.userId, owner.email);
      const answer = await visitor.send('GET', path);
      if (answer.status === 200) expect(answer.json()).toMatchObject({ secret });
      return answer;
    },
    refusal: 'conflict',
    move: async (value) => {
      await resealEndpointSecrets(pool, createSecretSealer([NEW, OLD]));
      return value;
    },
  }),
};
