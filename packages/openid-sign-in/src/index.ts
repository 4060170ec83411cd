import {
  type AuthorizationCodeGrantChecks,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
} from 'openid-client';
import { checkAnswer } from './answer.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { failureOf, isClientRefused, ProviderFailure } from './failure.ts';
import type { ProviderSettings } from './settings.ts';

export { type FailureReason, ProviderFailure } from './failure.ts';

/** Seconds that one request to the provider may take. A sign-in makes at most five. */
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
  const { clock = () => performance.now() } = options;
  let found: { readonly configurations: Promise<Configurations>; readonly readAt: number } | undefined;
  /** The method that the provider accepted last. */
  let accepted: Method = 'client_secret_basic';
  let waiting = 0;

  /** All sign-ins at the same time share one request. A failure is not kept. */
  const configure = (freshMs: number): Promise<Configurations> => {
    if (found !== undefined && clock() - found.readAt < freshMs) return found.configurations;
    const own = { configurations: discover(options), readAt: clock() };
    found = own;
    own.configurations.catch(() => {
      if (found === own) found = undefined;
    });
    return own.configurations;
  };
  const bounded = async <T>(
    freshMs: number,
    work: (configurations: Configurations) => Promise<T>,
  ): Promise<T> => {
    if (waiting >= WAITING_MAX) throw new ProviderFailure('busy', `${WAITING_MAX} sign-ins wait`);
    waiting += 1;
    try {
      return await work(await configure(freshMs));
    } catch (error) {
      const failure = failureOf(error);
      // The keys or the addresses of the provider may have changed. What is checked here says nothing about them.
      if (failure.reason === 'untrusted' && !(error instanceof ProviderFailure)) found = undefined;
      throw failure;
    } finally {
      waiting -= 1;
    }
  };

  /** Exchanges the code for tokens. A provider that refuses the client with one method is asked with the other one. */
  const grant = async (configurations: Configurations, url: URL, checks: AuthorizationCodeGrantChecks) => {
    const attempt = async (method: Method) => {
      const configuration = configurations[method];
      const tokens = await authorizationCodeGrant(configuration, url, { ...checks });
      accepted = method;
      return { configuration, tokens };
    };
    const [first, second] = methodsFor(configurations.client_secret_basic, accepted);
    try {
      return await attempt(first);
    } catch (error) {
      if (second === undefined || !isClientRefused(error)) throw error;
      return await attempt(second);
    }
  };

  return {
    authorizationUrl: ({ state, nonce, verifier }) =>
      bounded(START_FRESH_MS, async ({ client_secret_basic: configuration }) => {
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
      bounded(FRESH_MS, async (configurations) => {
        checkAnswer(answer, state, configurations.client_secret_basic.serverMetadata());
        const url = new URL(options.redirectUri);
        for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
        const { configuration, tokens } = await grant(configurations, url, {
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

/** How the secret is sent to the provider. */
type Method = 'client_secret_basic' | 'client_secret_post';
type Configurations = Readonly<Record<Method, Configuration>>;

/**
 * The methods to try, in their order. The metadata say what the provider can do, and not for which method this client is
 * registered. OpenID Connect Core, section 9: the default is Basic.
 */
function methodsFor(
  configuration: Configuration,
  accepted: Method,
): readonly [first: Method, second?: Method] {
  const named = configuration.serverMetadata().token_endpoint_auth_methods_supported ?? [];
  if (!named.includes('client_secret_post')) return ['client_secret_basic'];
  if (!named.includes('client_secret_basic')) return ['client_secret_post'];
  return accepted === 'client_secret_basic'
    ? ['client_secret_basic', 'client_secret_post']
    : ['client_secret_post', 'client_secret_basic'];
}

async function discover(options: ProviderOptions): Promise<Configurations> {
  const { issuer, clientId, clientSecret, timeoutSeconds = REQUEST_TIMEOUT_SECONDS } = options;
  const server = new URL(issuer);
  const settings = {
    timeout: timeoutSeconds,
    [customFetch]: (url: string, request: object) => boundedFetch(url, request as RequestInit),
    execute: [enableNonRepudiationChecks, ...(server.protocol === 'http:' ? [allowInsecureRequests] : [])],
  };
  const basic = await discovery(server, clientId, undefined, ClientSecretBasic(clientSecret), settings);
  const metadata = basic.serverMetadata();
  // The library compares them after it has parsed both as URLs.
  if (metadata.issuer !== issuer) throw new ProviderFailure('untrusted', 'wrong_issuer');
  const post = new Configuration(metadata, clientId, undefined, ClientSecretPost(clientSecret));
  post.timeout = settings.timeout;
  post[customFetch] = settings[customFetch];
  for (const extend of settings.execute) extend(post);
  return { client_secret_basic: basic, client_secret_post: post };
}
