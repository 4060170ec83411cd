import { whenClosed } from '@svc/http-content/reply-end';
import { createPlaces, type Places } from '@svc/rate-limiter/places';
import { EXPORTS_PER_WORKSPACE_MAX } from '@svc/sdk/contract';
import type { FastifyReply } from 'fastify';
import { EXPORTS_MAX } from '../config/limits.ts';
import { ApiError, unavailable } from '../http/errors.ts';

/** The exports of one kind that a process runs at the same time. */
export const createExportPlaces = (): Places => createPlaces(EXPORTS_MAX);

/** Takes a place until the response has closed; a person has only one. Throws {@link ApiError} if there is none. */
export function takeExportPlace(
  places: Places,
  reply: FastifyReply,
  workspaceId: string,
  personId?: string,
): void {
  // A response over HTTP/1.0 ends with its connection, so an export that is cut would look complete.
  if (reply.request.raw.httpVersion === '1.0')
    throw new ApiError('invalid_request', 'An export needs HTTP/1.1, also from a proxy to the service.');
  const place = places.take([
    { name: workspaceId, most: EXPORTS_PER_WORKSPACE_MAX },
    ...(personId === undefined ? [] : [{ name: personId, most: 1 }]),
  ]);
  if (place === 'all') throw unavailable();
  if (typeof place !== 'function') {
    const exports = place.most === 1 ? '1 export' : `${place.most} exports`;
    const owner = place.name === workspaceId ? 'workspace' : 'person';
    const message = `At most ${exports} of this ${owner} may run here at the same time.`;
    throw new ApiError('rate_limited', message, { 'retry-after': '5' });
  }
  whenClosed(reply, place);
}
