import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from '../../../http/errors.ts';
import { KNOWN_DEVICE_SECONDS } from '../../limits.ts';
import type { DashboardAuth } from '../index.ts';
import { parseCookies } from './cookie-header.ts';

/** The cookies of sign-in, by better-auth's names without prefix. */
const COOKIES = ['session_token', 'dont_remember', 'two_factor', 'device'] as const;
type CookieName = (typeof COOKIES)[number];

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request's cookies of sign-in say; each is there once, and its signature is right. */
    signInCookies: Partial<Readonly<Record<CookieName, string>>>;
  }
}

/** The cookies that a browser keeps, which move to the first secret when they come back. */
const KEPT: ReadonlySet<CookieName> = new Set(['session_token', 'dont_remember', 'device']);

/**
 * Admits a request's cookies of sign-in, and no others: better-auth sees one of each name, signed with the first
 * secret. One that an older secret has signed is signed again. Two different ones of the same name are refused: a
 * page of a neighbouring host may have set one of them, to act as another person.
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
      const value = text === undefined ? undefined : openCookie(text, auth.signingKeys);
      if (value === undefined) continue;
      request.signInCookies = { ...request.signInCookies, [name]: value.text };
      const signed = signCookie(value.text, auth.signingKeys);
      admitted.push(`${jar.fullName(name)}=${signed}`);
      if (value.old && KEPT.has(name)) jar.set(reply, name, signed, sent.has(jar.fullName('dont_remember')));
    }
    if (admitted.length === 0) delete request.headers.cookie;
    else request.headers.cookie = admitted.join('; ');
  });
}

/** better-auth's names and attributes for the cookies. */
async function jarOf(auth: DashboardAuth) {
  const { createAuthCookie, sessionConfig } = await auth.$context;
  const write = (name: CookieName, value: string, maxAge: number | undefined): string => {
    const cookie = createAuthCookie(name);
    const { path, secure } = cookie.attributes;
    const age = maxAge === undefined ? '' : `; Max-Age=${maxAge}`;
    return `${cookie.name}=${value}${age}; Path=${path}; HttpOnly${secure === true ? '; Secure' : ''}; SameSite=Strict`;
  };
  const ageOf = (name: CookieName, endsWithBrowser: boolean): number | undefined => {
    if (name === 'device') return KNOWN_DEVICE_SECONDS;
    return endsWithBrowser ? undefined : sessionConfig.expiresIn;
  };
  return {
    fullName: (name: CookieName): string => createAuthCookie(name).name,
    text: write,
    set: (reply: FastifyReply, name: CookieName, value: string, endsWithBrowser: boolean): void => {
      reply.header('set-cookie', write(name, value, ageOf(name, endsWithBrowser)));
    },
    clear: (reply: FastifyReply, name: CookieName): void => {
      reply.header('set-cookie', write(name, '', 0));
    },
  };
}

/** A `Set-Cookie` of a value that we sign. */
export async function cookieText(auth: DashboardAuth, name: 'device', value: string): Promise<string> {
  const jar = await jarOf(auth);
  return jar.text(name, signCookie(value, auth.signingKeys), KNOWN_DEVICE_SECONDS);
}

/** The text of a signed cookie, and whether an older key has signed it; undefined when none of the keys has. */
function openCookie(
  cookie: string,
  keys: readonly string[],
): { readonly text: string; readonly old: boolean } | undefined {
  const decoded = percentDecoded(cookie);
  const end = decoded.lastIndexOf('.');
  if (end < 1) return undefined;
  const text = decoded.slice(0, end);
  const signature = Buffer.from(decoded.slice(end + 1));
  const at = keys.findIndex((key) => {
    const right = Buffer.from(signatureOf(text, key));
    return right.length === signature.length && timingSafeEqual(right, signature);
  });
  return at === -1 ? undefined : { text, old: at > 0 };
}

/** As better-auth signs cookies (HMAC-SHA-256). */
const signatureOf = (text: string, key: string): string =>
  createHmac('sha256', key).update(text).digest('base64');

function signCookie(text: string, [key]: readonly string[]): string {
  if (key === undefined) throw new Error('Signing needs at least one key.');
  return encodeURIComponent(`${text}.${signatureOf(text, key)}`);
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
