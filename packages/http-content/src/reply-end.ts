import type { FastifyReply } from 'fastify';

/** Calls back when the response has closed, also if that has happened before. */
export function whenClosed(reply: FastifyReply, callback: () => void): void {
  if (reply.raw.destroyed) callback();
  else reply.raw.once('close', callback);
}
