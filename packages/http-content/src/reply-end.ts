import type { FastifyReply } from 'fastify';

/** Calls back when the response has closed, also if that has happened before. */
export function whenClosed(reply: FastifyReply, callback: () => void): void {
  if (reply.raw.destroyed) callback();
  else reply.raw.once('close', callback);
}

/** Disconnects a client that has not read what it was sent within `ms`. Call the result each time that it has. */
export function cutUnread(reply: FastifyReply, ms: number): () => void {
  const cut = setTimeout(() => reply.raw.destroy(), ms);
  whenClosed(reply, () => clearTimeout(cut));
  return () => void cut.refresh();
}
