import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
} from 'openid-client';
import { boundedFetch } from './bounded-fetch.ts';
import { failureOf, ProviderFailure } from './failure.ts';
import type { ProviderSettings } from './settings.ts';

export { type FailureReason, ProviderFailure } from './failure.ts';

/** Seconds that one request to the provider may take. A sign-in makes at most four. */
const REQUEST_TIMEOUT_SECONDS = 5;
/** How long the discovery document is used. Then the next sign-in reads it again. */
const FRESH_MS = 10 * 60 * 1000;
/** The same before a sign-in starts: no browser is sent to a provider that does not respond. */
const START_FRESH_MS = 10 * 1000;
/** Sign-ins of one process that wait for the provider. */
const WAITING_MAX = 32;
const SUBJECT_MAX_CHARACTERS = 255;
const SCOPE = 'openid email profile';

/** Random texts of one sign-in. The browser that starts it keeps them. */
export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  /** The code verifier of PKCE. */
  readonly verifier: string;
}

/** What the provider says about a person. Only issuer and subject identify the person. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | undefined;
  /** True only if the provider says that the address belongs to the person. */
  readonly emailVerified: boolean;
  readonly name: string | undefined;
}

export interface ProviderOptions extends Pick<ProviderSettings, 'issuer' | 'clientId' | 'clientSecret'> {
  /** The URL to which the provider sends the browser back. */
  readonly redirectUri: string;
  /** Default: the system's time, in milliseconds. */
  readonly clock?: () => number;
  readonly timeoutSeconds?: number;
}

/** One OpenID Connect provider. All functions throw {@link ProviderFailure}. */
export interface Provider {
  /** The URL at the provider where the person signs in. */
  authorizationUrl(secrets: SignInSecrets): Promise<string>;
  /** Confirms who the person is. `answer`: the parameters with which the provider sent the browser back. */
  identify(answer: Readonly<Record<string, string>>, secrets: SignInSecrets): Promise<Identity>;
}

/** Authorization code flow with PKCE, state and nonce. The signature of the ID token is always checked. */
export function createProvider(options: ProviderOptions): Provider {
  const { clock = Date.now } = options;
  let found: { readonly configuration: Promise<Configuration>; readonly readAt: number } | undefined;
  let waiting = 0;

  /** All sign-ins at the same time share one request. A failure is not kept. */
  const configure = (freshMs: number): Promise<Configuration> => {
    if (found !== undefined && clock() - found.readAt < freshMs) return found.configuration;
    const own = { configuration: discover(options), readAt: clock() };
    found = own;
    own.configuration.catch(() => {
      if (found === own) found = undefined;
    });
    return own.configuration;
  };
  const bounded = async <T>(
    freshMs: number,
    work: (configuration: Configuration) => Promise<T>,
  ): Promise<T> => {
    if (waiting >= WAITING_MAX) throw new ProviderFailure('busy', `${WAITING_MAX} sign-ins wait`);
    waiting += 1;
    try {
      return await work(await configure(freshMs));
    } catch (error) {
      const failure = failureOf(error);
      // The keys or the addresses of the provider may have changed. A stranger cannot cause this failure.
      if (failure.reason === 'untrusted') found = undefined;
      throw failure;
    } finally {
      waiting -= 1;
    }
  };

  return {
    authorizationUrl: ({ state, nonce, verifier }) =>
      bounded(START_FRESH_MS, async (configuration) => {
        const url = buildAuthorizationUrl(configuration, {
          redirect_uri: options.redirectUri,
          scope: SCOPE,
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        });
        return url.href;
      }),
    identify: (answer, { state, nonce, verifier }) =>
      bounded(FRESH_MS, async (configuration) => {
        const url = new URL(options.redirectUri);
        for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
        const tokens = await authorizationCodeGrant(configuration, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const token = tokens.claims();
        const subject = token?.sub ?? '';
        if (subject === '' || subject.length > SUBJECT_MAX_CHARACTERS) {
          throw new ProviderFailure('untrusted', 'invalid_subject');
        }
        const { userinfo_endpoint: endpoint } = configuration.serverMetadata();
        const claims: Claims =
          token?.['email'] === undefined && endpoint !== undefined
            ? await fetchUserInfo(configuration, tokens.access_token, subject)
            : (token ?? {});
        return {
          issuer: options.issuer,
          subject,
          email: text(claims['email']),
          emailVerified: claims['email_verified'] === true,
          name: text(claims['name']),
        };
      }),
  };
}

type Claims = Readonly<Record<string, unknown>>;

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

async function discover(options: ProviderOptions): Promise<Configuration> {
  const { issuer, clientId, clientSecret, timeoutSeconds = REQUEST_TIMEOUT_SECONDS } = options;
  const server = new URL(issuer);
  const configuration = await discovery(server, clientId, undefined, authenticationOf(clientSecret), {
    timeout: timeoutSeconds,
    [customFetch]: (url, request) => boundedFetch(url, request as RequestInit),
    execute: [enableNonRepudiationChecks, ...(server.protocol === 'http:' ? [allowInsecureRequests] : [])],
  });
  // The library compares them after it has parsed both as URLs.
  if (configuration.serverMetadata().issuer !== issuer)
    throw new ProviderFailure('untrusted', 'wrong_issuer');
  return configuration;
}

/** Sends the secret in the way that the provider names. A provider that names none accepts Basic. */
function authenticationOf(secret: string): ClientAuth {
  const post = ClientSecretPost(secret);
  const basic = ClientSecretBasic(secret);
  return (server, ...rest) =>
    (server.token_endpoint_auth_methods_supported?.includes('client_secret_post') ? post : basic)(
      server,
      ...rest,
    );
}
