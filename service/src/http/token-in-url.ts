import { ApiError } from './errors.ts';
import { containsToken } from './token-text.ts';

/** Refuses a URL that holds a key, whatever the path: proxies, histories and logs keep URLs. */
export function refuseTokenInUrl({ url }: { readonly url: string }): void {
  if (!containsToken(url)) return;
  throw new ApiError(
    'invalid_parameter',
    'An API key must never be part of a URL. Send it in the Authorization header, and rotate this one.',
  );
}
