import { cachedContent, sendContent } from '@svc/http-content/static-content';
import { openApiDocument } from '@svc/openapi';
import type { FastifyInstance } from 'fastify';
import manifest from '../../package.json' with { type: 'json' };
import { JSON_UTF8 } from '../http/json-type.ts';

/** Caches may store the document, but must revalidate it, because it changes with each release. */
const JSON_DOCUMENT = { type: JSON_UTF8, cacheControl: 'public, no-cache' } as const;

/** The document of this release. `publicUrl` is where clients reach the service. */
export const apiDocument = (publicUrl: string): ReturnType<typeof openApiDocument> =>
  openApiDocument({ publicUrl, version: manifest.version });

/** Registers `/openapi.json`, without authentication: it contains nothing of a workspace. It is built on first use. */
export function registerOpenApi(app: FastifyInstance, publicUrl: string): void {
  const document = cachedContent(JSON_DOCUMENT, () => JSON.stringify(apiDocument(publicUrl)));
  app.get('/openapi.json', async (request, reply) => sendContent(request, reply, await document()));
}
