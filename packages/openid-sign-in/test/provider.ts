import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

/** What the provider says about a person. */
interface TestPerson {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

/** A response of the provider: the body is parsed JSON. */
interface TestResponse {
  body: unknown;
  status: number;
}

/** Changes a response of the provider before it is sent. `path`: such as `/token`. */
export type Tamper = (path: string, response: TestResponse) => void | Promise<void>;

export interface TestProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The people by subject. A test adds and changes them. */
  readonly people: Map<string, TestPerson>;
  /** Paths of the requests so far. */
  readonly requests: string[];
  /** Default: changes nothing. */
  tamper: Tamper;
  /** Replaces the key that signs. Sessions and codes end. */
  rotateKeys(): void;
  /** Signs in at the provider as a browser would. Returns the parameters with which it sends the browser back. */
  signIn(authorizationUrl: string, subject: string): Promise<Record<string, string>>;
  close(): Promise<void>;
}

export interface TestProviderOptions {
  readonly redirectUris: readonly string[];
  /** Whether claims of scopes are only at the UserInfo endpoint. Default: false. */
  readonly userInfoOnly?: boolean;
  /** Default: `client_secret_basic`. */
  readonly authMethod?: 'client_secret_basic' | 'client_secret_post';
}

const HOST = '127.0.0.1';
const CLIENT_ID = 'svc';

/** A real OpenID Connect provider (oidc-provider) on 127.0.0.1. Its page asks only for the subject. */
export async function startProvider(options: TestProviderOptions): Promise<TestProvider> {
  const { redirectUris, userInfoOnly = false, authMethod = 'client_secret_basic' } = options;
  const people = new Map<string, TestPerson>();
  const requests: string[] = [];
  const clientSecret = randomUUID();
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined;
  const server = createServer((request, response) => {
    requests.push((request.url ?? '').split('?', 1)[0] ?? '');
    handle(request, response);
  });
  server.listen(0, HOST);
  await once(server, 'listening');
  const issuer = `http://${HOST}:${(server.address() as AddressInfo).port}`;

  const build = (): void => {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT_ID,
          client_secret: clientSecret,
          redirect_uris: [...redirectUris],
          token_endpoint_auth_method: authMethod,
          id_token_signed_response_alg: 'ES256',
        },
      ],
      enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
      clientAuthMethods: [authMethod],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      conformIdTokenClaims: userInfoOnly,
      cookies: { keys: [randomUUID()] },
      features: { devInteractions: { enabled: false } },
      findAccount: (_, sub) => {
        const person = people.get(sub);
        return person && { accountId: sub, claims: () => ({ ...person }) };
      },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      jwks: { keys: [newKey()] },
      loadExistingGrant: async ({ oidc }) => {
        const grant = new oidc.provider.Grant({
          clientId: CLIENT_ID,
          ...(oidc.session?.accountId === undefined ? {} : { accountId: oidc.session.accountId }),
        });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
      pkce: { required: () => true },
      ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 600, Session: 600 },
    });
    provider.use(async (context, next) => {
      // oidc-provider accepts Basic for every secret. Others bind a client to its method: here, the secret is wrong then.
      if (authMethod === 'client_secret_post' && context.headers.authorization?.startsWith('Basic ') === true)
        context.headers.authorization = `Basic ${btoa(`${CLIENT_ID}:refused`)}`;
      await next();
      await test.tamper(context.path, context);
    });
    const answer = provider.callback();
    handle = (request, response) =>
      request.url?.startsWith('/interaction/') === true
        ? void interact(provider, request, response)
        : void answer(request, response);
  };
  const test: TestProvider = {
    issuer,
    clientId: CLIENT_ID,
    clientSecret,
    people,
    requests,
    tamper: () => undefined,
    rotateKeys: build,
    signIn: (url, subject) => follow(url, subject, redirectUris),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  build();
  return test;
}

function newKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'ES256', use: 'sig' } as const;
}

/** The sign-in page, and what it sends. An empty subject denies the access. */
async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(
      '<!doctype html><html lang="en"><title>Provider</title><form method="post">' +
        '<label>Subject <input name="subject"></label><button>Continue</button></form>',
    );
    return;
  }
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const accountId = new URLSearchParams(body).get('subject') ?? '';
  await provider.interactionFinished(
    request,
    response,
    accountId === '' ? { error: 'access_denied' } : { login: { accountId } },
  );
}

async function follow(
  authorizationUrl: string,
  subject: string,
  redirectUris: readonly string[],
): Promise<Record<string, string>> {
  const cookies = new Map<string, string>();
  const send = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') };
    const response = await fetch(url, { redirect: 'manual', ...init, headers });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (cookie.split(';', 1)[0] ?? '').split(/=(.*)/s);
      cookies.set(name, value);
    }
    return response;
  };
  let url = authorizationUrl;
  for (let hops = 0; hops < 10; hops++) {
    const post = url.includes('/interaction/');
    const response = await send(url, post ? { method: 'POST', body: new URLSearchParams({ subject }) } : {});
    const location = response.headers.get('location');
    if (location === null)
      throw new Error(`The provider responded with ${response.status}: ${await response.text()}`);
    const next = new URL(location, url);
    if (redirectUris.some((uri) => next.href.startsWith(`${uri}?`)))
      return Object.fromEntries(next.searchParams);
    url = next.href;
  }
  throw new Error('The provider did not send the browser back.');
}
