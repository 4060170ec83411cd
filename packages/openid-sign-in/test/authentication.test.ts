import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { createProvider, type Provider } from '../src/index.ts';
import { startProvider } from './provider.ts';

const REDIRECT = 'http://svc.test/sign-in';
const METHODS = ['client_secret_basic', 'client_secret_post'] as const;
const FRESH_MS = 10_000;

/** A provider that accepts only `authMethod`, and names both methods in its metadata. */
async function startStrictProvider(authMethod: (typeof METHODS)[number]) {
  const real = await startProvider({ redirectUris: [REDIRECT], authMethod });
  onTestFinished(() => real.close());
  real.people.set('ada', { sub: 'ada' });
  real.tamper = (path, response) => {
    if (path.startsWith('/.well-known/'))
      response.body = { ...Object(response.body), token_endpoint_auth_methods_supported: METHODS };
  };
  const grants = () => real.requests.filter((path) => path === '/token').length;
  const signIn = async (provider: Provider) => {
    const secrets = { state: randomUUID(), nonce: randomUUID(), verifier: randomUUID().repeat(2) };
    const answer = await real.signIn(await provider.authorizationUrl(secrets), 'ada');
    return provider.identify(answer, secrets);
  };
  return { real, grants, signIn };
}

test.each(METHODS)(
  'a client that is registered for %s signs in at a provider that names both methods',
  async (authMethod) => {
    const { real, grants, signIn } = await startStrictProvider(authMethod);
    let now = 0;
    const provider = createProvider({ ...real, redirectUri: REDIRECT, clock: () => now });
    expect(await signIn(provider)).toMatchObject({ subject: 'ada' });
    const first = authMethod === 'client_secret_basic' ? 1 : 2;
    expect(grants()).toBe(first);
    // The method that was accepted is remembered, also when the metadata are read again.
    await signIn(provider);
    expect(grants()).toBe(first + 1);
    now += FRESH_MS;
    await signIn(provider);
    expect(grants()).toBe(first + 2);
  },
);

test('a provider that names both methods is asked once with each if the secret is wrong', async () => {
  const { real, grants, signIn } = await startStrictProvider('client_secret_basic');
  const provider = createProvider({ ...real, clientSecret: 'wrong', redirectUri: REDIRECT });
  await expect(signIn(provider)).rejects.toMatchObject({ reason: 'misconfigured' });
  expect(grants()).toBe(2);
});
