import type { FastifyReply } from 'fastify';

/** Node.js warns of a leak from 11 listeners of an event on. An export has 11, five of them from Fastify and Node.js. */
const LISTENERS_MAX = 20;

/** Calls back when the response has closed, also if that has happened before. */
export function whenClosed(reply: FastifyReply, callback: () => void): void {
  if (reply.raw.destroyed) callback();
  else reply.raw.setMaxListeners(LISTENERS_MAX).once('close', callback);
}
