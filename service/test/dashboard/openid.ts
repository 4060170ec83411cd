import { startProvider, type TestProvider } from '@svc/openid-sign-in/testing';
import type { OidcSettings } from '../../src/config/oidc.ts';
import { onFileEnd } from '../harness/cleanup.ts';
import { PUBLIC_URL, type Visitor } from '../harness/dashboard.ts';
import type { TestAnswer } from '../harness/service.ts';

export type { TestProvider };

/** A real provider until the end of the file. */
export async function openProvider(publicUrl = PUBLIC_URL): Promise<TestProvider> {
  const provider = await startProvider({ redirectUris: [`${publicUrl}/sign-in`] });
  onFileEnd(provider.close);
  return provider;
}

/** The settings of a service that uses the provider. Default: newcomers need an invitation. */
export const settingsFor = (
  { issuer, clientId, clientSecret }: TestProvider,
  settings: Partial<OidcSettings> = {},
): OidcSettings => ({
  ...{ issuer, clientId, clientSecret },
  name: 'Example ID',
  allowedDomains: ['example.com'],
  newcomers: undefined,
  ...settings,
});

/** The cookies that an answer sets, as a Cookie header. */
export const cookiesOf = ({ headers }: Pick<TestAnswer, 'headers'>): string =>
  [headers['set-cookie'] ?? []]
    .flat()
    .map((text) => String(text).split(';', 1)[0])
    .join('; ');

export interface Returned {
  /** The parameters with which the provider sends the browser back. */
  readonly answer: Record<string, string>;
  /** The cookies of the browser. */
  readonly cookie: string;
}

/** Starts a sign-in and signs in at the provider. `visitor`: a person who connects their account. */
export async function goToProvider(
  send: Visitor['send'],
  provider: TestProvider,
  subject: string,
  body: { readonly next?: string } | { readonly password: string } = {},
): Promise<Returned> {
  const path = 'password' in body ? '/auth/openid/connect' : '/auth/openid/start';
  const started = await send('POST', path, body);
  if (started.status !== 200) throw new Error(started.text);
  const answer = await provider.signIn(started.json<{ url: string }>().url, subject);
  return { answer, cookie: cookiesOf(started) };
}

/** Returns from the provider. Default address: a new one, so that other attempts do not count. */
export const finish = (
  send: Visitor['send'],
  { answer, cookie }: Returned,
  remoteAddress = `10.7.${Math.floor(++finished / 250)}.${finished % 250}`,
): Promise<TestAnswer> => send('POST', '/auth/openid/finish', answer, { headers: { cookie }, remoteAddress });
let finished = 0;
