import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';

const CREATED = 'fastify.initialization';

/** The routes of the applications that the work creates, as Fastify registers them: `POST /dashboard/api/set-up`. */
export async function routesOf<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly routes: readonly string[] }> {
  const routes: string[] = [];
  const watch = (message: unknown): void => {
    const { fastify } = message as { readonly fastify: FastifyInstance };
    fastify.addHook('onRoute', ({ method, url }) => {
      for (const one of [method].flat()) routes.push(`${one} ${url}`);
    });
  };
  subscribe(CREATED, watch);
  try {
    return { result: await work(), routes };
  } finally {
    unsubscribe(CREATED, watch);
  }
}
