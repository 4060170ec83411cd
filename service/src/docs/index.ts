import helmet from '@fastify/helmet';
import { createAssets } from '@svc/docs-pages/assets';
import { guidePage } from '@svc/docs-pages/guide-page';
import { readGuides } from '@svc/docs-pages/guides';
import { REFERENCE_STYLES, referencePage } from '@svc/docs-pages/reference-page';
import { securityHeaders } from '@svc/http-content/security-headers';
import { cachedContent, compress, sendContent } from '@svc/http-content/static-content';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { ApiError } from '../http/errors.ts';

/** Browsers revalidate a page on each use, because the pages of another release load other files. */
const PAGE = { type: 'text/html; charset=utf-8', cacheControl: 'no-cache' } as const;
const ONE_YEAR_SECONDS = 365 * 24 * 60 * 60;

/**
 * Serves the documentation: the API reference at /docs, a guide at each /docs/{guide}, and the files that they load. It
 * needs no key and no session, has no data of a workspace, and loads nothing from another host.
 */
export function registerDocs(app: FastifyInstance, { publicUrl }: { readonly publicUrl: string }): void {
  const pages: FastifyPluginAsync = async (scope) => {
    await scope.register(helmet, { ...securityHeaders(publicUrl), global: true });
    registerPages(scope, publicUrl);
  };
  app.register(pages);
}

function registerPages(scope: FastifyInstance, publicUrl: string): void {
  const base = new URL(publicUrl).pathname.replace(/\/$/, '');
  const assets = createAssets(compress);
  const shared = async () => {
    const [icon, theme] = await Promise.all([assets.get('favicon.svg'), assets.get('theme.js')]);
    const address = ({ name }: { readonly name: string }): string => `${base}/docs/assets/${name}`;
    return { base, publicUrl: publicUrl.replace(/\/$/, ''), icon: address(icon), theme: address(theme) };
  };

  scope.get<{ Params: { name: string } }>('/docs/assets/:name', async (request, reply) => {
    const asset = await assets.find(request.params.name);
    if (asset === undefined) throw new ApiError('not_found', 'There is no such path.');
    const cacheControl = `public, max-age=${ONE_YEAR_SECONDS}, immutable`;
    return sendContent(request, reply, { ...asset, cacheControl });
  });

  const reference = cachedContent(PAGE, async () => referencePage(assets, await shared()));
  scope.get('/docs', async (request, reply) => {
    await reply.helmet(withStyles(publicUrl));
    return sendContent(request, reply, await reference());
  });

  const guides = readGuides();
  for (const guide of guides) {
    const sent = cachedContent(PAGE, async () => guidePage(guide, guides, assets, await shared()));
    scope.get(`/docs/${guide.name}`, async (request, reply) => sendContent(request, reply, await sent()));
  }
}

/** The security headers of a page whose scripts write styles. */
function withStyles(publicUrl: string): ReturnType<typeof securityHeaders> {
  const headers = securityHeaders(publicUrl);
  const { contentSecurityPolicy } = headers;
  if (typeof contentSecurityPolicy !== 'object')
    throw new Error('The pages have no Content-Security-Policy.');
  const directives = { ...contentSecurityPolicy.directives, 'style-src': REFERENCE_STYLES };
  return { ...headers, contentSecurityPolicy: { ...contentSecurityPolicy, directives } };
}
