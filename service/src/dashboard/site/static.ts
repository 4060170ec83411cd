import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import helmet from '@fastify/helmet';
import { escapeHtml } from '@svc/docs-pages/page';
import { securityHeaders } from '@svc/http-content/security-headers';
import { sendContent } from '@svc/http-content/static-content';
import { readStaticFiles } from '@svc/http-content/static-files';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { OperatorError } from '../../config/errors.ts';
import { STYLE_NONCE_BYTES } from '../limits.ts';

/** The output of `npm run build -w dashboard`. */
const BUILT = fileURLToPath(new URL('../../../../dashboard/dist', import.meta.url));

const OK = 200;
const NOT_FOUND = 404;
/** The paths of workspaces. At those that have no page, the dashboard says so. */
const OF_WORKSPACES = '/w/*';

/** A page in pages.json. index.html shows its head until its code is loaded. */
interface BuiltPage {
  readonly path: string;
  readonly title?: string;
  readonly description?: string;
}

export interface StaticOptions {
  readonly publicUrl: string;
  /** Default: the output of the dashboard's build. */
  readonly directory?: string | undefined;
}

/**
 * Serves the built dashboard: index.html at the paths of its pages, which the build lists, and with 404 at other paths of
 * workspaces, so that a mistyped address leads to a page. The other files are at their own paths. It reads them into memory,
 * so a later build does not change a running service. Without a build it logs a warning, and the service has only its API.
 */
export function registerStatic(app: FastifyInstance, { publicUrl, directory = BUILT }: StaticOptions): void {
  if (!existsSync(join(directory, 'index.html'))) {
    app.log.warn('the dashboard is not built, so it is not served: npm run build -w dashboard');
    return;
  }
  const pages = readPages(join(directory, 'pages.json'));
  const base = new URL(publicUrl).pathname.replace(/\/$/, '');
  const page = readFileSync(join(directory, 'index.html'), 'utf8').replaceAll('="./', `="${base}/`);
  const hashes = inlineScriptHashes(page);
  const files = readStaticFiles(directory);
  const routes: FastifyPluginAsync = async (scope) => {
    await scope.register(helmet, { ...securityHeaders(publicUrl), global: false });
    for (const { path, title = '', description = '' } of [...pages, { path: OF_WORKSPACES }]) {
      const withHead = page
        .replace('%PAGE_TITLE%', () => escapeHtml(title))
        .replace('%PAGE_DESCRIPTION%', () => escapeHtml(description));
      // The build lists paths in the spelling of its router: `/w/$workspaceId`.
      scope.get(path.replaceAll('$', ':'), async (_, reply) => {
        const nonce = randomBytes(STYLE_NONCE_BYTES).toString('base64url');
        await reply.helmet(securityHeaders(publicUrl, nonce, hashes));
        return reply
          .code(path === OF_WORKSPACES ? NOT_FOUND : OK)
          .header('cache-control', 'no-cache')
          .type('text/html; charset=utf-8')
          .send(withHead.replaceAll('%CSP_NONCE%', nonce));
      });
    }
    for (const [path, file] of files) {
      scope.get(path, (request, reply) => sendContent(request, reply, file));
    }
  };
  app.register(routes);
}

function readPages(file: string): readonly BuiltPage[] {
  const pages = JSON.parse(readFileSync(file, 'utf8')) as readonly (BuiltPage | string)[];
  return pages.map((page) => {
    if (typeof page === 'object') return page;
    // Earlier builds listed paths.
    throw new OperatorError('the dashboard was built by an older version: npm run build -w dashboard');
  });
}

/** The hashes of the scripts in the document, as the Content-Security-Policy spells them. */
const inlineScriptHashes = (html: string): readonly string[] =>
  [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, script = '']) => `sha256-${createHash('sha256').update(script).digest('base64')}`,
  );
