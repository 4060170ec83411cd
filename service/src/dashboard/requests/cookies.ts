import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../http/errors.ts';
import type { DashboardAuth } from '../auth/index.ts';
import { KNOWN_DEVICE_SECONDS, OPENID_ATTEMPT_SECONDS } from '../limits.ts';

/** The cookies of sign-in, by better-auth's names without prefix. `device` and `openid` are ours. */
const COOKIES = ['session_token', 'dont_remember', 'two_factor', 'device', 'openid'] as const;
type CookieName = (typeof COOKIES)[number];

declare module 'fastify' {
  interface FastifyRequest {
    /** The texts of the request's cookies of sign-in that have a valid signature. */
    signInCookies: Partial<Readonly<Record<CookieName, string>>>;
  }
}

/** The cookies whose signature names them, so that one cannot be sent as another. better-auth signs only the text. */
const NAMED: ReadonlySet<CookieName> = new Set(['device', 'openid']);
/** The cookies that a browser keeps. They are signed again if an older secret has signed them. */
const KEPT: ReadonlySet<CookieName> = new Set(['session_token', 'dont_remember', 'device']);

/**
 * Passes only a request's cookies of sign-in on to better-auth: one of each name, signed with the first secret. Refuses a
 * request with two different cookies of the same name: a page of a neighbouring host may have set one of them, to make
 * the person act as somebody else.
 */
export function admitCookies(api: FastifyInstance, auth: DashboardAuth): void {
  api.decorateRequest('signInCookies');
  api.addHook('onRequest', async (request, reply) => {
    request.signInCookies = {};
    const { cookie } = request.headers;
    if (cookie === undefined) return;
    const jar = await jarOf(auth);
    const sent = parseCookies(cookie);
    const admitted: string[] = [];
    for (const name of COOKIES) {
      const values = sent.get(jar.fullName(name)) ?? new Set();
      if (values.size > 1) {
        for (const each of COOKIES) jar.clear(reply, each);
        throw new ApiError(
          'not_signed_in',
          `The browser sent two different cookies named ${jar.fullName(name)}. Delete the cookies of this site, ` +
            'also those of its parent domain, then sign in again.',
        );
      }
      const [text] = values;
      const value = text === undefined ? undefined : openCookie(name, text, auth.signingKeys);
      if (value === undefined) continue;
      request.signInCookies = { ...request.signInCookies, [name]: value.text };
      const signed = signCookie(name, value.text, auth.signingKeys);
      admitted.push(`${jar.fullName(name)}=${signed}`);
      if (value.old && KEPT.has(name)) jar.set(reply, name, signed, sent.has(jar.fullName('dont_remember')));
    }
    if (admitted.length === 0) delete request.headers.cookie;
    else request.headers.cookie = admitted.join('; ');
  });
}

/** Writes cookies with better-auth's names and attributes. */
async function jarOf(auth: DashboardAuth) {
  const { createAuthCookie, sessionConfig } = await auth.$context;
  const text = (name: CookieName, value: string, maxAge: number | undefined): string => {
    const cookie = createAuthCookie(name);
    const { path, secure } = cookie.attributes;
    const age = maxAge === undefined ? '' : `; Max-Age=${maxAge}`;
    return `${cookie.name}=${value}${age}; Path=${path}; HttpOnly${secure === true ? '; Secure' : ''}; SameSite=Strict`;
  };
  return {
    fullName: (name: CookieName): string => createAuthCookie(name).name,
    device: (value: string): string =>
      text('device', signCookie('device', value, auth.signingKeys), KNOWN_DEVICE_SECONDS),
    openId: (value: string): string =>
      value === ''
        ? text('openid', '', 0)
        : text('openid', signCookie('openid', value, auth.signingKeys), OPENID_ATTEMPT_SECONDS),
    set: (reply: FastifyReply, name: CookieName, value: string, endsWithBrowser: boolean): void => {
      const sessionSeconds = endsWithBrowser ? undefined : sessionConfig.expiresIn;
      reply.header(
        'set-cookie',
        text(name, value, name === 'device' ? KNOWN_DEVICE_SECONDS : sessionSeconds),
      );
    },
    clear: (reply: FastifyReply, name: CookieName): void => {
      reply.header('set-cookie', text(name, '', 0));
    },
  };
}

/** The text of a signed cookie, and whether an older key has signed it. Undefined if none of the keys has. */
function openCookie(
  name: CookieName,
  cookie: string,
  keys: readonly string[],
): { readonly text: string; readonly old: boolean } | undefined {
  const decoded = percentDecoded(cookie);
  const end = decoded.lastIndexOf('.');
  if (end < 1) return undefined;
  const text = decoded.slice(0, end);
  const signature = Buffer.from(decoded.slice(end + 1));
  const at = keys.findIndex((key) => {
    const right = Buffer.from(signatureOf(name, text, key));
    return right.length === signature.length && timingSafeEqual(right, signature);
  });
  return at === -1 ? undefined : { text, old: at > 0 };
}

/** The signature of better-auth (HMAC-SHA-256). */
const signatureOf = (name: CookieName, text: string, key: string): string =>
  createHmac('sha256', key)
    .update(NAMED.has(name) ? `${name} ${text}` : text)
    .digest('base64');

function signCookie(name: CookieName, text: string, [key]: readonly string[]): string {
  if (key === undefined) throw new Error('Signing needs at least one key.');
  return encodeURIComponent(`${text}.${signatureOf(name, text, key)}`);
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const DEVICE_ID_BYTES = 16;
/** The people that the cookie of one device names. */
const DEVICE_PEOPLE_MAX = 5;

/**
 * The cookie of a device holds the id of the device, and for each of the people who have signed in with it a hash of the
 * person and the password: a new password makes the devices of the old one unknown. The cookie only gives the device its
 * own budget of failed attempts (attempts.ts).
 */
const readDevice = ({
  signInCookies,
}: FastifyRequest): { readonly device: string; readonly people: readonly string[] } => {
  const [device = '', ...people] = (signInCookies.device ?? '').split(' ');
  return { device, people };
};

/** `password`: its hash. Null: the person has none. */
export interface PersonOfDevice {
  readonly id: string;
  readonly password: string | null;
}

const personIn = ({ id, password }: PersonOfDevice): string =>
  createHash('sha256').update(`${id} ${password}`).digest('base64url');

/** The hash of a person and the present password, which changes with the password. */
export async function presentPerson(auth: DashboardAuth, id: string): Promise<string> {
  const { internalAdapter } = await auth.$context;
  return personIn({ id, password: (await internalAdapter.findCredentialAccount(id))?.password ?? null });
}

/** The id of the request's device. Undefined if nobody has signed in with it. */
export function deviceOf(request: FastifyRequest): string | undefined {
  const { device, people } = readDevice(request);
  return people.length === 0 ? undefined : device;
}

/** The id of the request's device. Undefined unless the person has signed in with it and the present password. */
export function knownDevice(request: FastifyRequest, person: PersonOfDevice | undefined): string | undefined {
  const { device, people } = readDevice(request);
  return person !== undefined && people.includes(personIn(person)) ? device : undefined;
}

/** The cookie that makes the request's device known for a person who has signed in. By id: with the present password. */
export async function deviceCookie(
  auth: DashboardAuth,
  request: FastifyRequest,
  person: PersonOfDevice | string,
): Promise<string> {
  const { device, people } = readDevice(request);
  const id = device === '' ? randomBytes(DEVICE_ID_BYTES).toString('base64url') : device;
  const known = typeof person === 'string' ? await presentPerson(auth, person) : personIn(person);
  const others = people.filter((other) => other !== known).slice(0, DEVICE_PEOPLE_MAX - 1);
  return (await jarOf(auth)).device([id, known, ...others].join(' '));
}

/**
 * The cookie for a device whose session is older than these cookies. Undefined if the request has one. A session always
 * gets the same id, so a stolen session gives only the attempts of one device.
 */
export async function deviceCookieOfSession(
  auth: DashboardAuth,
  { signInCookies: { device, session_token } }: FastifyRequest,
  userId: string,
): Promise<string | undefined> {
  if (device !== undefined || session_token === undefined) return undefined;
  const id = createHash('sha256').update(`device ${session_token}`).digest('base64url');
  return (await jarOf(auth)).device(`${id} ${await presentPerson(auth, userId)}`);
}

/** The cookie of a sign-in that waits for the OpenID Connect provider. Empty: removes the cookie. */
export const openIdCookie = async (auth: DashboardAuth, value: string): Promise<string> =>
  (await jarOf(auth)).openId(value);

/** The names in a Cookie header, each with its different values. It takes linear time, because anyone can send one. */
export function parseCookies(header: string): ReadonlyMap<string, ReadonlySet<string>> {
  const cookies = new Map<string, Set<string>>();
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at === -1) continue;
    const name = pair.slice(0, at).trim();
    const values = cookies.get(name) ?? new Set();
    cookies.set(name, values.add(withoutQuotes(pair.slice(at + 1).trim())));
  }
  return cookies;
}

const withoutQuotes = (value: string): string =>
  value.slice(value.startsWith('"') ? 1 : 0, value.endsWith('"') && value.length > 1 ? -1 : undefined);
