import { isToken } from '../http/token-text.ts';

/** What an Authorization header holds: no bearer token at all, a malformed one, or one of the right shape. */
export type Bearer =
  | { readonly kind: 'missing' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'token'; readonly token: string };

export function parseBearer(header: string | undefined): Bearer {
  const token = header === undefined ? undefined : /^bearer +(.*)$/i.exec(header)?.[1]?.trimEnd();
  if (token === undefined || token === '') return { kind: 'missing' };
  return isToken(token) ? { kind: 'token', token } : { kind: 'malformed' };
}
