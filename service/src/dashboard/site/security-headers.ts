import type { FastifyHelmetOptions } from '@fastify/helmet';

/**
 * What the dashboard's pages may do: load from here, speak to here, and be framed by nobody. A style element needs
 * the nonce of its answer; without one there is none.
 */
export function securityHeaders(publicUrl: string, styleNonce?: string): FastifyHelmetOptions {
  const secure = new URL(publicUrl).protocol === 'https:';
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'script-src': ["'self'"],
        'style-src': ["'self'", ...(styleNonce === undefined ? [] : [`'nonce-${styleNonce}'`])],
        'img-src': ["'self'", 'data:'],
        'font-src': ["'self'"],
        'connect-src': ["'self'"],
        'form-action': ["'self'"],
        'base-uri': ["'none'"],
        'frame-ancestors': ["'none'"],
        // Without TLS it would send the page's own requests where nobody listens.
        ...(secure ? { 'upgrade-insecure-requests': [] } : {}),
      },
    },
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'same-origin' },
    strictTransportSecurity: secure,
  };
}
