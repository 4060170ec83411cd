import type { FastifyInstance } from 'fastify';
import manifest from '../../package.json' with { type: 'json' };
import { cachedContent, sendContent } from '../http/static-content.ts';
import type { Resource } from '../resources/define.ts';
import { openApiDocument } from './document.ts';

/** Anyone may keep the document, but asks whether it is still the same: it changes with each release. */
const JSON_DOCUMENT = { type: 'application/json; charset=utf-8', cacheControl: 'public, no-cache' } as const;

/** `/openapi.json`, without authentication: it tells nothing of any workspace. Made when it is first asked for. */
export function registerOpenApi(
  app: FastifyInstance,
  { publicUrl, resources }: { readonly publicUrl: string; readonly resources: readonly Resource[] },
): void {
  const document = cachedContent(JSON_DOCUMENT, () =>
    JSON.stringify(openApiDocument({ publicUrl, version: manifest.version, resources })),
  );
  app.get('/openapi.json', async (request, reply) => sendContent(request, reply, await document()));
}
