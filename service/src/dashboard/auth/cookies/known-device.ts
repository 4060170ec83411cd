import { createHash, randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { DashboardAuth } from '../index.ts';
import { cookieText } from './cookies.ts';

/**
 * The cookie of a device that people have signed in with: the id of the device, and of those people. It proves nothing
 * but that, and gives the device a budget of its own for failed attempts (auth/attempts.ts).
 */

const DEVICE_ID_BYTES = 16;
/** People that one device remembers. */
const PEOPLE_MAX = 5;

const read = ({
  signInCookies,
}: FastifyRequest): { readonly device: string; readonly people: readonly string[] } => {
  const [device = '', ...people] = (signInCookies.device ?? '').split(' ');
  return { device, people };
};

/** The id of the request's device if this person has signed in with it; undefined otherwise. */
export function knownDevice(request: FastifyRequest, userId: string | undefined): string | undefined {
  const { device, people } = read(request);
  return userId !== undefined && people.includes(userId) ? device : undefined;
}

/** The cookie that makes the request's device known for a person who has signed in. */
export function deviceCookie(auth: DashboardAuth, request: FastifyRequest, userId: string): Promise<string> {
  const { device, people } = read(request);
  const id = device === '' ? randomBytes(DEVICE_ID_BYTES).toString('base64url') : device;
  const others = people.filter((person) => person !== userId).slice(0, PEOPLE_MAX - 1);
  return cookieText(auth, 'device', [id, userId, ...others].join(' '));
}

/**
 * The cookie for a device whose session started before devices were remembered; undefined if the request brings one. A
 * session always gets the same id: a stolen session gives the attempts of one device only.
 */
export async function deviceCookieOfSession(
  auth: DashboardAuth,
  { signInCookies: { device, session_token } }: FastifyRequest,
  userId: string,
): Promise<string | undefined> {
  if (device !== undefined || session_token === undefined) return undefined;
  const id = createHash('sha256').update(`device ${session_token}`).digest('base64url');
  return cookieText(auth, 'device', `${id} ${userId}`);
}
