import type { FastifyInstance } from 'fastify';
import manifest from '../../package.json' with { type: 'json' };
import type { Resource } from '../declaration/resource.ts';
import { compress } from '../http/compress.ts';
import { type Sent, sendCompressed } from '../http/compressed.ts';
import { weakEtag } from '../http/etag.ts';
import { openApiDocument } from './document.ts';

/** Anyone may keep the document, but asks whether it is still the same: it changes with each release. */
const CACHE_CONTROL = 'public, no-cache';

/** `/openapi.json`, without authentication: it tells nothing of any workspace. Made when it is first asked for. */
export function registerOpenApi(
  app: FastifyInstance,
  { publicUrl, resources }: { readonly publicUrl: string; readonly resources: readonly Resource[] },
): void {
  const make = async (): Promise<Sent> => {
    const text = JSON.stringify(openApiDocument({ publicUrl, version: manifest.version, resources }));
    return {
      type: 'application/json; charset=utf-8',
      cacheControl: CACHE_CONTROL,
      etag: weakEtag(text),
      body: await compress(text),
    };
  };
  let made: Promise<Sent> | undefined;
  app.get('/openapi.json', async (request, reply) => {
    made ??= make();
    return sendCompressed(request, reply, await made);
  });
}
