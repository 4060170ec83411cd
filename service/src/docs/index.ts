import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import { cachedResponse } from '../http/cached-response.ts';
import { sendCompressed } from '../http/compressed.ts';
import { ApiError } from '../http/errors.ts';
import { securityHeaders } from '../http/security-headers.ts';
import { type Asset, createAssets } from './assets.ts';
import { guidePage } from './guide-page.ts';
import { readGuides } from './guides.ts';
import { ONE_YEAR_SECONDS } from './limits.ts';
import { REFERENCE_STYLES, referencePage } from './reference-page.ts';

/** A page names the files of its release, so a browser asks for it each time. */
const PAGE = { type: 'text/html; charset=utf-8', cacheControl: 'no-cache' } as const;

/**
 * The documentation: the API reference at /docs, a guide at each /docs/{guide}, and the files that they load. For
 * anyone, without a key or a session: it tells nothing of any workspace. Nothing comes from another host.
 */
export function registerDocs(app: FastifyInstance, { publicUrl }: { readonly publicUrl: string }): void {
  app.register((scope, _, done) => {
    scope.register(helmet, { ...securityHeaders(publicUrl), global: true });
    scope.register((pages, _, done) => {
      registerPages(pages, publicUrl);
      done();
    });
    done();
  });
}

function registerPages(scope: FastifyInstance, publicUrl: string): void {
  const base = new URL(publicUrl).pathname.replace(/\/$/, '');
  const assets = createAssets();
  const shared = async () => {
    const [icon, theme] = await Promise.all([assets.get('favicon.svg'), assets.get('theme.js')]);
    const address = ({ name }: Asset): string => `${base}/docs/assets/${name}`;
    return { base, publicUrl: publicUrl.replace(/\/$/, ''), icon: address(icon), theme: address(theme) };
  };

  scope.get<{ Params: { name: string } }>('/docs/assets/:name', async (request, reply) => {
    const asset = await assets.find(request.params.name);
    if (asset === undefined) throw new ApiError('not_found', 'There is no such path.');
    const cacheControl = `public, max-age=${ONE_YEAR_SECONDS}, immutable`;
    return sendCompressed(request, reply, { ...asset, cacheControl });
  });

  const reference = cachedResponse(PAGE, async () => referencePage(assets, await shared()));
  scope.get('/docs', async (request, reply) => {
    await reply.helmet(withStyles(publicUrl));
    return sendCompressed(request, reply, await reference());
  });

  const guides = readGuides();
  for (const guide of guides) {
    const sent = cachedResponse(PAGE, async () => guidePage(guide, guides, assets, await shared()));
    scope.get(`/docs/${guide.name}`, async (request, reply) => sendCompressed(request, reply, await sent()));
  }
}

/** The pages' headers for a page whose styles are written by its scripts. */
function withStyles(publicUrl: string): ReturnType<typeof securityHeaders> {
  const headers = securityHeaders(publicUrl);
  const { contentSecurityPolicy } = headers;
  if (typeof contentSecurityPolicy !== 'object')
    throw new Error('The pages have no Content-Security-Policy.');
  const directives = { ...contentSecurityPolicy.directives, 'style-src': REFERENCE_STYLES };
  return { ...headers, contentSecurityPolicy: { ...contentSecurityPolicy, directives } };
}
