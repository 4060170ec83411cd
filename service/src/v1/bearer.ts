import { isToken } from '../http/token-text.ts';

/** What an Authorization header holds: no bearer token at all, a malformed one, or one of the right shape. */
export type Bearer =
  | { readonly kind: 'missing' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'token'; readonly token: string };

export function parseBearer(header: string | undefined): Bearer {
  const match = header === undefined ? null : /^bearer(?: +(.*))?$/i.exec(header);
  if (match === null) return { kind: 'missing' };
  const token = match[1]?.trimEnd() ?? '';
  return isToken(token) ? { kind: 'token', token } : { kind: 'malformed' };
}
