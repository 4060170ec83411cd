import type { FastifyHelmetOptions } from '@fastify/helmet';

/**
 * Security headers of the pages of the dashboard and of the documentation. A page loads only from this service, connects
 * only to it, and no other page can frame it. A style element needs `styleNonce`; by default no style element is allowed.
 * A script in the page needs its hash in `scriptHashes`, such as `sha256-…`; by default none is allowed.
 */
export function securityHeaders(
  publicUrl: string,
  styleNonce?: string,
  scriptHashes: readonly string[] = [],
): FastifyHelmetOptions {
  const secure = new URL(publicUrl).protocol === 'https:';
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'script-src': ["'self'", ...scriptHashes.map((hash) => `'${hash}'`)],
        'style-src': ["'self'", ...(styleNonce === undefined ? [] : [`'nonce-${styleNonce}'`])],
        'img-src': ["'self'", 'data:'],
        'font-src': ["'self'"],
        'connect-src': ["'self'"],
        'form-action': ["'self'"],
        'base-uri': ["'none'"],
        'frame-ancestors': ["'none'"],
        // Without TLS, the page's own requests would go to a port that does not serve TLS, and fail.
        ...(secure ? { 'upgrade-insecure-requests': [] } : {}),
      },
    },
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'same-origin' },
    strictTransportSecurity: secure,
  };
}
