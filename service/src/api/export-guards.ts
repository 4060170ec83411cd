import { whenClosed } from '@svc/http-content/reply-end';
import { createPlaces, type Places } from '@svc/rate-limiter/places';
import type { FastifyReply } from 'fastify';
import { EXPORTS_MAX, EXPORTS_PER_WORKSPACE_MAX } from '../config/limits.ts';
import { ApiError, unavailable } from '../http/errors.ts';

/** The exports of one kind that a process runs at the same time. */
export const createExportPlaces = (): Places => createPlaces(EXPORTS_MAX);

/** Takes a place until the response has closed. Throws `rate_limited` or `unavailable`. */
export function takeExportPlace(places: Places, workspaceId: string, reply: FastifyReply): void {
  const place = places.take([{ name: workspaceId, most: EXPORTS_PER_WORKSPACE_MAX }]);
  if (place === 'all') throw unavailable();
  if (typeof place !== 'function') {
    const message = `At most ${place.most} exports of this workspace may run here at the same time.`;
    throw new ApiError('rate_limited', message, { 'retry-after': '5' });
  }
  whenClosed(reply, place);
}
