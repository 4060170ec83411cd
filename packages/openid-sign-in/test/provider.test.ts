import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { RESPONSE_MAX_BYTES } from '../src/bounded-fetch.ts';
import { createProvider, type FailureReason, ProviderFailure } from '../src/index.ts';
import { startProvider, type Tamper } from './provider.ts';

const REDIRECT = 'http://svc.test/sign-in';
const real = await startProvider({ redirectUris: [REDIRECT] });
afterAll(() => real.close());
beforeEach(() => {
  real.tamper = () => undefined;
});

const ADA = { sub: 'ada', email: 'ada@example.com', email_verified: true, name: 'Ada' };
real.people.set('ada', ADA);

const secrets = () => ({ state: randomUUID(), nonce: randomUUID(), verifier: randomUUID().repeat(2) });
const client = (more: Partial<Parameters<typeof createProvider>[0]> = {}) =>
  createProvider({ ...real, redirectUri: REDIRECT, timeoutSeconds: 1, ...more });

/** Signs in at the provider; returns what the client says. */
async function signIn(provider = client(), own = secrets(), checked = own) {
  const answer = await real.signIn(await provider.authorizationUrl(own), 'ada');
  return provider.identify(answer, checked);
}

const failure = async (promise: Promise<unknown>): Promise<ProviderFailure> => {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ProviderFailure);
  return error as ProviderFailure;
};
const reasonOf = async (promise: Promise<unknown>): Promise<FailureReason> => (await failure(promise)).reason;

describe('a provider', () => {
  test('confirms a person by the ID token', async () => {
    expect(await signIn()).toEqual({
      issuer: real.issuer,
      subject: 'ada',
      email: 'ada@example.com',
      emailVerified: true,
      name: 'Ada',
    });
  });

  test.each(['client_secret_basic', 'client_secret_post'] as const)(
    'that only gives the email address at its UserInfo endpoint confirms a person, with %s',
    async (authMethod) => {
      const other = await startProvider({ redirectUris: [REDIRECT], userInfoOnly: true, authMethod });
      other.people.set('ada', ADA);
      const provider = client({ ...other });
      const own = secrets();
      const answer = await other.signIn(await provider.authorizationUrl(own), 'ada');
      expect(await provider.identify(answer, own)).toMatchObject({ email: ADA.email, emailVerified: true });
      await other.close();
    },
  );

  test.each([true, 'true', 1, undefined])('verifies an address only by true, not by %j', async (verified) => {
    real.people.set('ada', { ...ADA, email_verified: verified as boolean });
    expect((await signIn()).emailVerified).toBe(verified === true);
    real.people.set('ada', ADA);
  });

  test('is asked for its discovery document before a sign-in, at most once in ten seconds', async () => {
    let now = 0;
    const provider = client({ clock: () => now });
    const read = () => real.requests.filter((path) => path.startsWith('/.well-known/')).length;
    const before = read();
    await Promise.all([signIn(provider), signIn(provider), signIn(provider)]);
    expect(read()).toBe(before + 1);
    now += 9_999;
    await signIn(provider);
    expect(read()).toBe(before + 1);
    now += 1;
    const own = secrets();
    const answer = await real.signIn(await provider.authorizationUrl(own), 'ada');
    expect(read()).toBe(before + 2);
    now += 9 * 60 * 1000;
    await provider.identify(answer, own);
    expect(read()).toBe(before + 2);
  });

  test('that has gone away after an earlier sign-in is noticed before a browser is sent there', async () => {
    let now = 0;
    const other = await startProvider({ redirectUris: [REDIRECT] });
    const provider = client({ ...other, clock: () => now });
    expect(await provider.authorizationUrl(secrets())).toContain(other.issuer);
    await other.close();
    now += 10_000;
    expect(await reasonOf(provider.authorizationUrl(secrets()))).toBe('unavailable');
  });

  test('may replace its keys: the sign-in after the failed one reads them again', async () => {
    const provider = client({ clock: () => 0 });
    await signIn(provider);
    real.rotateKeys();
    expect(await reasonOf(signIn(provider))).toBe('untrusted');
    expect((await signIn(provider)).subject).toBe('ada');
  });
});

describe('a sign-in is refused', () => {
  test.each(['state', 'nonce', 'verifier'] as const)('with the %s of another sign-in', async (name) => {
    const own = secrets();
    const reason = await reasonOf(signIn(client(), own, { ...own, [name]: secrets()[name] }));
    expect(reason).toBe(name === 'verifier' ? 'refused' : 'untrusted');
  });

  test('with a code that was used', async () => {
    const provider = client();
    const own = secrets();
    const answer = await real.signIn(await provider.authorizationUrl(own), 'ada');
    await provider.identify(answer, own);
    expect(await reasonOf(provider.identify(answer, own))).toBe('refused');
  });

  test('if the person denies it', async () => {
    const provider = client();
    const own = secrets();
    const answer = await real.signIn(await provider.authorizationUrl(own), '');
    expect(await reasonOf(provider.identify(answer, own))).toBe('cancelled');
  });

  test('if the provider does not know the client', async () => {
    expect(await reasonOf(signIn(client({ clientSecret: 'wrong' })))).toBe('misconfigured');
  });

  test.each<[name: string, change: Record<string, string>, reason: FailureReason]>([
    ['names another issuer', { iss: 'https://evil.example' }, 'untrusted'],
    ['names no issuer', { iss: '' }, 'untrusted'],
    ['has no code', { code: '' }, 'untrusted'],
    ['has another state', { state: 'other' }, 'untrusted'],
    ['has an invalid error', { code: '', error: 'x y' }, 'refused'],
  ])('if the answer %s: nothing is asked of the provider for it', async (_, change, reason) => {
    const provider = client({ clock: () => 0 });
    const own = secrets();
    const answer = await real.signIn(await provider.authorizationUrl(own), 'ada');
    real.requests.length = 0;
    expect(await reasonOf(provider.identify({ ...answer, ...change }, own))).toBe(reason);
    expect(real.requests).toEqual([]);
    expect((await provider.identify(answer, own)).subject).toBe('ada');
    expect(real.requests.filter((path) => path.startsWith('/.well-known/'))).toEqual([]);
  });

  const onToken =
    (change: (body: Record<string, unknown>) => unknown): Tamper =>
    (path, response) => {
      if (path === '/token') response.body = change(response.body as Record<string, unknown>);
    };
  const altered = (body: Record<string, unknown>, part: number, change: (text: string) => string) => {
    const parts = String(body['id_token']).split('.');
    parts[part] = change(parts[part] ?? '');
    return { ...body, id_token: parts.join('.') };
  };
  const json = (change: object) => (text: string) =>
    Buffer.from(
      JSON.stringify({ ...(JSON.parse(Buffer.from(text, 'base64url').toString()) as object), ...change }),
    ).toString('base64url');

  test.each<[name: string, tamper: Tamper, reason: FailureReason]>([
    ['a wrong signature', onToken((body) => altered(body, 2, (text) => `AAAA${text.slice(4)}`)), 'untrusted'],
    ['another subject', onToken((body) => altered(body, 1, json({ sub: 'root' }))), 'untrusted'],
    ['no signature', onToken((body) => altered(body, 0, json({ alg: 'none' }))), 'untrusted'],
    ['no ID token', onToken(({ id_token: _, ...body }) => body), 'untrusted'],
    ['no JSON', onToken(() => '<html>'), 'untrusted'],
    ['too long', onToken(() => ({ text: 'x'.repeat(RESPONSE_MAX_BYTES) })), 'untrusted'],
    [
      'a server error',
      (path, response) => {
        if (path === '/token') response.status = 502;
      },
      'unavailable',
    ],
  ])('if the response of the provider has %s', async (_, tamper, reason) => {
    real.tamper = tamper;
    expect(await reasonOf(signIn())).toBe(reason);
  });

  test.each<[name: string, metadata: object]>([
    ['another issuer', { issuer: 'https://evil.example' }],
    ['a script as its address', { authorization_endpoint: 'javascript:alert(1)' }],
    ['no address', { authorization_endpoint: undefined }],
  ])('if the discovery document has %s', async (_, metadata) => {
    real.tamper = (path, response) => {
      if (path.startsWith('/.well-known/')) response.body = { ...(response.body as object), ...metadata };
    };
    expect(await reasonOf(client().authorizationUrl(secrets()))).toBe('untrusted');
  });
});

describe('the wait for a provider', () => {
  test('ends after the time limit, also if the body does not end', async () => {
    const silent = createServer((request, response) => {
      if (request.url?.startsWith('/silent') === true) return;
      response.setHeader('content-type', 'application/json');
      response.write('{');
    });
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const origin = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    for (const path of ['silent', 'endless']) {
      const provider = client({ issuer: `${origin}/${path}` });
      expect(await reasonOf(provider.authorizationUrl(secrets()))).toBe('unavailable');
    }
    silent.closeAllConnections();
    silent.close();
    await once(silent, 'close');
    const closed = client({ issuer: origin });
    expect(await reasonOf(closed.authorizationUrl(secrets()))).toBe('unavailable');
  });

  test('is refused if 32 others wait', async () => {
    const release = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    real.tamper = () => {
      asked.resolve();
      return release.promise;
    };
    const provider = client({ timeoutSeconds: 10 });
    const first = Array.from({ length: 32 }, () => provider.authorizationUrl(secrets()));
    await asked.promise;
    expect(await reasonOf(provider.authorizationUrl(secrets()))).toBe('busy');
    release.resolve();
    expect(await Promise.all(first)).toHaveLength(32);
    expect(await provider.authorizationUrl(secrets())).toContain(real.issuer);
  });
});

test('a failure holds no code, token or secret, and no text of the provider', async () => {
  const provider = client();
  const own = secrets();
  const answer = await real.signIn(await provider.authorizationUrl(own), 'ada');
  await provider.identify(answer, own);
  const replayed = await failure(provider.identify(answer, own));
  const reported = await failure(
    provider.identify({ error: 'no <such> error', error_description: 'Call 555', state: own.state }, own),
  );
  for (const error of [replayed, reported]) {
    const said = `${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
    for (const hidden of [answer['code'] ?? '', own.verifier, real.clientSecret, '<such>', '555']) {
      expect(said).not.toContain(hidden);
    }
  }
});
