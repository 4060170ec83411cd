import { expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

const SETTINGS = {
  SVC_OIDC_ISSUER: 'http://127.0.0.1:9000',
  SVC_OIDC_CLIENT_ID: 'svc',
  SVC_OIDC_CLIENT_SECRET: 'secret of the client',
  SVC_OIDC_ALLOWED_DOMAINS: '*',
  SVC_OIDC_WORKSPACE: 'wks_01',
};

function mistakesOf(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
  }
  return [];
}

test('reads the settings of the provider, with domains as browsers write them', () => {
  const { oidc } = readConfig({
    ...SETTINGS,
    SVC_OIDC_ISSUER: 'https://id.example.com/realms/Main',
    SVC_OIDC_NAME: 'Example ID',
    SVC_OIDC_ALLOWED_DOMAINS: 'Example.com, exämple.org',
    SVC_OIDC_DEFAULT_ROLE: 'admin',
  });
  expect(oidc).toEqual({
    issuer: 'https://id.example.com/realms/Main',
    clientId: 'svc',
    clientSecret: 'secret of the client',
    name: 'Example ID',
    allowedDomains: ['example.com', 'xn--exmple-cua.org'],
    newcomers: { workspaceId: 'wks_01', role: 'admin' },
  });
  expect(readConfig(SETTINGS).oidc).toMatchObject({
    name: '127.0.0.1',
    allowedDomains: undefined,
    newcomers: { role: 'viewer' },
  });
  const host = `${'long-'.repeat(8)}tenant.id.example.com`;
  expect(readConfig({ ...SETTINGS, SVC_OIDC_ISSUER: `https://${host}` }).oidc?.name).toBe(host);
  expect(readConfig({}).oidc).toBeUndefined();
});

test.each([
  ['SVC_OIDC_ISSUER', 'accounts.google.com'],
  ['SVC_OIDC_ISSUER', 'http://id.example.com'],
  ['SVC_OIDC_ISSUER', 'https://id.example.com/?tenant=1'],
  ['SVC_OIDC_ISSUER', 'https://user:password@id.example.com'],
  ['SVC_OIDC_CLIENT_ID', ''],
  ['SVC_OIDC_CLIENT_SECRET', ''],
  ['SVC_OIDC_NAME', 'x'.repeat(41)],
  ['SVC_OIDC_ALLOWED_DOMAINS', 'example'],
  ['SVC_OIDC_ALLOWED_DOMAINS', '*.example.com'],
  ['SVC_OIDC_ALLOWED_DOMAINS', '@example.com'],
  ['SVC_OIDC_ALLOWED_DOMAINS', 'example.com,'],
  ['SVC_OIDC_ALLOWED_DOMAINS', ''],
  ['SVC_OIDC_WORKSPACE', 'Main workspace'],
  ['SVC_OIDC_DEFAULT_ROLE', 'owner'],
])('refuses %s=%j by its name, without a secret', (name, value) => {
  const mistakes = mistakesOf({ ...SETTINGS, [name]: value });
  expect(mistakes).toEqual([expect.stringContaining(name)]);
  expect(mistakes[0]).not.toMatch(/password|secret of/);
});

test.each([undefined, ''])('without the issuer (%j), each of the others is a mistake', (issuer) => {
  const { SVC_OIDC_ISSUER: _, ...others } = SETTINGS;
  const given = issuer === undefined ? {} : { SVC_OIDC_ISSUER: issuer };
  expect(mistakesOf({ ...others, ...given, SVC_OIDC_DEFAULT_ROLE: 'owner' })).toEqual(
    [...Object.keys(others), 'SVC_OIDC_DEFAULT_ROLE'].map((name) => `${name} needs SVC_OIDC_ISSUER.`),
  );
});

test('a role for newcomers needs their workspace', () => {
  const { SVC_OIDC_WORKSPACE: _, ...others } = SETTINGS;
  expect(mistakesOf({ ...others, SVC_OIDC_DEFAULT_ROLE: 'viewer' })).toEqual([
    'SVC_OIDC_DEFAULT_ROLE needs SVC_OIDC_WORKSPACE.',
  ]);
});
