import { cachedContent, sendContent } from '@svc/http-content/static-content';
import { openApiDocument } from '@svc/openapi';
import type { FastifyInstance } from 'fastify';
import manifest from '../../package.json' with { type: 'json' };

/** Caches may store the document, but must revalidate it, because it changes with each release. */
const JSON_DOCUMENT = { type: 'application/json; charset=utf-8', cacheControl: 'public, no-cache' } as const;

/** Registers `/openapi.json`, without authentication: it contains nothing of a workspace. It is built on first use. */
export function registerOpenApi(app: FastifyInstance, publicUrl: string): void {
  const document = cachedContent(JSON_DOCUMENT, () =>
    JSON.stringify(openApiDocument({ publicUrl, version: manifest.version })),
  );
  app.get('/openapi.json', async (request, reply) => sendContent(request, reply, await document()));
}
