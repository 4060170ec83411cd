import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../http/errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Media types of the route's body, none of which a form can send. Default: JSON. */
    readonly bodyTypes?: readonly string[];
  }
}

const JSON_ALONE = ['application/json'] as const;
const READING = new Set(['GET', 'HEAD']);

/**
 * Refuses what a page of another site could send in a person's name: a request that changes something must come
 * from our own pages, as far as the browser says where from, and be of a type that no form can send.
 */
export function requireSameSite(scope: FastifyInstance, publicUrl: string): void {
  const { origin } = new URL(publicUrl);
  scope.addHook('onRequest', async (request) => {
    if (READING.has(request.method)) return;
    if (isForeign(request, origin)) {
      throw new ApiError(
        'insufficient_scope',
        `This request comes from another site. The dashboard can be used at ${origin} alone.`,
      );
    }
    const types = request.routeOptions.config?.bodyTypes ?? JSON_ALONE;
    const [given = ''] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
    if (!types.includes(given.trim())) {
      throw new ApiError('unsupported_media_type', `The body must be ${types.join(' or ')}.`);
    }
  });
}

/** A program that is no browser sends neither header: nobody's cookies are at its hand. */
function isForeign({ headers }: FastifyRequest, ours: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return true;
  return headers.origin !== undefined && headers.origin !== ours;
}
