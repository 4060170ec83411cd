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
  const workspace = { name: workspaceId, most: EXPORTS_PER_WORKSPACE_MAX };
  const owners = personId === undefined ? [workspace] : [workspace, { name: personId, most: 1 }];
  const place = places.take(owners);
  if (place === 'all') throw unavailable();
  if (typeof place !== 'function') {
    const message =
      place === workspace
        ? `At most ${place.most} exports of this workspace may run here at the same time.`
        : 'Another export that you have started is still running.';
    throw new ApiError('rate_limited', message, { 'retry-after': '5' });
  }
  whenClosed(reply, place);
}
