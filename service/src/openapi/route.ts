import type { FastifyInstance } from 'fastify';
import manifest from '../../package.json' with { type: 'json' };
import type { Resource } from '../declaration/resource.ts';
import { sendConditional } from '../http/conditional.ts';
import { strongEtag } from '../http/etag.ts';
import { openApiDocument } from './document.ts';

/** Anyone may keep the document, but asks whether it is still the same: it changes with each release. */
const CACHE_CONTROL = 'public, no-cache';

/** `/openapi.json`, without authentication: it tells nothing of any workspace. */
export function registerOpenApi(
  app: FastifyInstance,
  { publicUrl, resources }: { readonly publicUrl: string; readonly resources: readonly Resource[] },
): void {
  const body = JSON.stringify(openApiDocument({ publicUrl, version: manifest.version, resources }));
  const etag = strongEtag(body);
  app.get('/openapi.json', async (request, reply) =>
    sendConditional(request, reply, body, etag, CACHE_CONTROL),
  );
}
