import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../http/errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Allowed media types of the route's body. A form must not be able to send them. Default: JSON. */
    readonly bodyTypes?: readonly string[];
  }
}

const JSON_ONLY = ['application/json'] as const;
const READING = new Set(['GET', 'HEAD']);

/**
 * Refuses requests that a page of another site could send in a person's name. A request must come from our own pages, if the
 * browser says where it comes from: also one that reads, because some leave an entry in the log. A request that changes data
 * must have a media type that no form can send.
 */
export function requireSameSite(scope: FastifyInstance, publicUrl: string): void {
  const { origin } = new URL(publicUrl);
  scope.addHook('onRequest', async (request) => {
    if (isForeign(request, origin)) {
      throw new ApiError(
        'insufficient_scope',
        `This request comes from another site. Use the dashboard only at ${origin}.`,
      );
    }
    if (READING.has(request.method)) return;
    const types = request.routeOptions.config?.bodyTypes ?? JSON_ONLY;
    const [given = ''] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
    if (!types.includes(given.trim())) {
      throw new ApiError('unsupported_media_type', `The body must be ${types.join(' or ')}.`);
    }
  });
}

/** Programs other than browsers send neither header. They are allowed, because they hold no other person's cookies. */
function isForeign({ headers }: FastifyRequest, ours: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return true;
  return headers.origin !== undefined && headers.origin !== ours;
}
