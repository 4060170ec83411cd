import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../http/errors.ts';

/**
 * Refuses the request of a page that was loaded for somebody else: another person has signed in in the same browser since.
 * The page sends the id of its person in the header Svc-User.
 */
export function requireSamePerson({ headers }: FastifyRequest, personId: string): void {
  if ((headers['svc-user'] ?? personId) === personId) return;
  throw new ApiError('person_changed', 'Somebody else has signed in in this browser. Reload the page.');
}
