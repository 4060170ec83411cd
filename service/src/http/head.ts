import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/**
 * Answers HEAD without reading a streamed body: Fastify's own HEAD routes read it to the end to throw it away, so a HEAD
 * of an export would run the whole export.
 */
export function skipStreamsOfHead(app: FastifyInstance): void {
  app.addHook('onSend', async (request, _, payload: unknown) => {
    if (request.method !== 'HEAD' || !(payload instanceof Readable)) return payload;
    payload.destroy();
    return Readable.from([]);
  });
}
