import type { FastifyInstance } from 'fastify';
import type { Queryable } from '../database/lane.ts';

export interface SystemOptions {
  readonly connections: Queryable;
  readonly readMetrics: () => Promise<string>;
}

/** Paths for those who operate the service: is it up, can it answer, how is it doing. They need no key. */
export function registerSystem(app: FastifyInstance, { connections, readMetrics }: SystemOptions): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async () => {
    await connections.query('select 1');
    return { status: 'ready' };
  });
  app.get('/metrics', async (_, reply) =>
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(await readMetrics()),
  );
}
