import { createProvider } from '@svc/openid-sign-in';
import type { OidcSettings } from '../../config/oidc.ts';

/** The URL to which the provider sends the browser back. */
export const redirectUriOf = (publicUrl: string): string => `${publicUrl}/sign-in`;

/**
 * Reads the discovery document of the provider as a sign-in does, within five seconds, and sends nothing else. Throws
 * ProviderFailure if a sign-in could not use the document, such as one of another issuer.
 */
export async function checkProvider(oidc: OidcSettings, publicUrl: string): Promise<void> {
  const provider = createProvider({ ...oidc, redirectUri: redirectUriOf(publicUrl) });
  await provider.authorizationUrl({ state: 'state', nonce: 'nonce', verifier: 'verifier' });
}
