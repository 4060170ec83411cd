import helmet, { type FastifyHelmetOptions } from '@fastify/helmet';
import { createAssets } from '@svc/docs-pages/assets';
import { CLIENT_PACKAGE, readClientPackage } from '@svc/docs-pages/client-package';
import { robots, sitemap } from '@svc/docs-pages/crawlers';
import { guideMarkdown } from '@svc/docs-pages/guide-markdown';
import { guidePage } from '@svc/docs-pages/guide-page';
import { readGuides } from '@svc/docs-pages/guides';
import { llmsFull, llmsIndex } from '@svc/docs-pages/llms';
import { REFERENCE_STYLES, referencePage } from '@svc/docs-pages/reference-page';
import { strongEtag } from '@svc/http-content/etag';
import { securityHeaders } from '@svc/http-content/security-headers';
import {
  cachedContent,
  compress,
  preferredType,
  type StaticContent,
  sendContent,
} from '@svc/http-content/static-content';
import { openApiMarkdown } from '@svc/openapi/markdown';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { ApiError } from '../http/errors.ts';
import { apiDocument } from './openapi.ts';

/** Browsers revalidate a page on each use, because the pages of another release load other files. */
const PAGE = { type: 'text/html; charset=utf-8', cacheControl: 'no-cache', vary: 'accept' } as const;
const MARKDOWN = { type: 'text/markdown; charset=utf-8', cacheControl: 'no-cache' } as const;
const TEXT = { type: 'text/plain; charset=utf-8', cacheControl: 'no-cache' } as const;
const XML = { type: 'application/xml; charset=utf-8', cacheControl: 'no-cache' } as const;
const ONE_YEAR_SECONDS = 365 * 24 * 60 * 60;

/**
 * Serves the documentation: the API reference at /docs, a guide at each /docs/{guide}, the files that they load, all of it
 * as Markdown, and the packed client. It needs no key and no session, has no data of a workspace, and loads nothing from
 * another host.
 */
export function registerDocs(app: FastifyInstance, { publicUrl }: { readonly publicUrl: string }): void {
  const pages: FastifyPluginAsync = async (scope) => {
    await scope.register(helmet, { ...securityHeaders(publicUrl), global: true });
    registerPages(scope, publicUrl);
    registerClientPackage(scope);
  };
  app.register(pages);
}

type Content = () => Promise<StaticContent>;

function registerPages(scope: FastifyInstance, configuredUrl: string): void {
  const publicUrl = configuredUrl.replace(/\/$/, '');
  const base = new URL(configuredUrl).pathname.replace(/\/$/, '');
  const assets = createAssets(compress);
  const shared = async () => {
    const [icon, theme] = await Promise.all([assets.get('favicon.svg'), assets.get('theme.js')]);
    const address = ({ name }: { readonly name: string }): string => `${base}/docs/assets/${name}`;
    return { base, publicUrl, icon: address(icon), theme: address(theme) };
  };

  scope.get<{ Params: { name: string } }>('/docs/assets/:name', async (request, reply) => {
    const asset = await assets.find(request.params.name);
    if (asset === undefined) throw new ApiError('not_found', 'There is no such path.');
    const cacheControl = `public, max-age=${ONE_YEAR_SECONDS}, immutable`;
    return sendContent(request, reply, { ...asset, cacheControl });
  });

  /** Serves a page at its path, and its Markdown there to clients that prefer it, and at the path with `.md`. */
  const serve = (path: string, html: Content, text: () => string, headers?: FastifyHelmetOptions): void => {
    const markdown = cachedContent(MARKDOWN, text);
    scope.get(path, async (request, reply) => {
      if (headers !== undefined) await reply.helmet(headers);
      const type = preferredType(request.headers.accept, ['text/html', 'text/markdown']);
      const content = type === 'text/html' ? await html() : { ...(await markdown()), vary: PAGE.vary };
      return sendContent(request, reply, content);
    });
    serveText(`${path}.md`, markdown);
  };
  const serveText = (path: string, content: Content): void => {
    scope.get(path, async (request, reply) => sendContent(request, reply, await content()));
  };

  const referenceText = (): string => openApiMarkdown(apiDocument(publicUrl), publicUrl);
  const reference = cachedContent(PAGE, async () => referencePage(assets, await shared()));
  serve('/docs', reference, referenceText, withStyles(publicUrl));

  const guides = readGuides();
  for (const guide of guides) {
    const page = cachedContent(PAGE, async () => guidePage(guide, guides, assets, await shared()));
    serve(`/docs/${guide.name}`, page, () => guideMarkdown(guide, guides, publicUrl));
  }

  const documents = { guides, publicUrl };
  serveText(
    '/llms.txt',
    cachedContent(TEXT, () => llmsIndex(documents)),
  );
  serveText(
    '/llms-full.txt',
    cachedContent(TEXT, () => llmsFull(documents, referenceText())),
  );
  serveText(
    '/robots.txt',
    cachedContent(TEXT, () => robots(publicUrl)),
  );
  serveText(
    '/sitemap.xml',
    cachedContent(XML, () => sitemap(guides, publicUrl)),
  );
}

/** Serves the packed client library and command line, so that `npm install` needs only this service. */
function registerClientPackage(scope: FastifyInstance): void {
  let read: Promise<StaticContent | undefined> | undefined;
  scope.get(`/docs/${CLIENT_PACKAGE}`, async (request, reply) => {
    read ??= clientPackage();
    const content = await read.catch((error: unknown) => {
      read = undefined;
      throw error;
    });
    if (content !== undefined) return sendContent(request, reply, content);
    read = undefined;
    throw new ApiError('not_found', 'This service was installed without its client package.');
  });
}

async function clientPackage(): Promise<StaticContent | undefined> {
  const identity = await readClientPackage();
  if (identity === undefined) return undefined;
  const cacheControl = 'public, no-cache';
  return { type: 'application/gzip', cacheControl, body: { identity }, etag: strongEtag(identity) };
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
