import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import helmet from '@fastify/helmet';
import files from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { ONE_YEAR_SECONDS, STYLE_NONCE_BYTES } from './limits.ts';
import { securityHeaders } from './security-headers.ts';

/** What `npm run build -w dashboard` writes. */
const BUILT = fileURLToPath(new URL('../../../dashboard/dist', import.meta.url));

export interface StaticOptions {
  readonly publicUrl: string;
  /** Default: where the dashboard's build writes. */
  readonly directory?: string;
}

/**
 * Serves the built dashboard: index.html at the paths of its pages (the build lists them) and at no other, its files
 * beside it. Without a build it says so once, and there is the API alone.
 */
export function registerStatic(app: FastifyInstance, options: StaticOptions): void {
  const { publicUrl, directory = BUILT } = options;
  if (!existsSync(join(directory, 'index.html'))) {
    app.log.warn('the dashboard is not built, so it is not served: npm run build -w dashboard');
    return;
  }
  app.register((scope, _, done) => {
    scope.register(helmet, { ...securityHeaders(publicUrl), global: false });
    scope.register((pages, _, done) => {
      registerPages(pages, directory, publicUrl);
      done();
    });
    scope.register(files, {
      root: directory,
      // Each file is a route of its own: any other path is not found as everywhere else.
      wildcard: false,
      globIgnore: ['index.html', 'pages.json', '**/*.br', '**/*.gz'],
      index: false,
      decorateReply: false,
      preCompressed: true,
      cacheControl: false,
      setHeaders: (reply, path) => {
        const named = path.startsWith(join(directory, 'assets'));
        // The names in this folder hold a hash of the content.
        const value = named ? `public, max-age=${ONE_YEAR_SECONDS}, immutable` : 'no-cache';
        reply.header('cache-control', value);
      },
    });
    done();
  });
}

function registerPages(scope: FastifyInstance, directory: string, publicUrl: string): void {
  const paths: unknown = JSON.parse(readFileSync(join(directory, 'pages.json'), 'utf8'));
  const base = new URL(publicUrl).pathname.replace(/\/$/, '');
  const page = readFileSync(join(directory, 'index.html'), 'utf8').replaceAll('="./', `="${base}/`);
  for (const path of paths as readonly string[]) {
    scope.get(path.replaceAll('$', ':'), async (_, reply) => {
      const nonce = randomBytes(STYLE_NONCE_BYTES).toString('base64url');
      await reply.helmet(securityHeaders(publicUrl, nonce));
      return reply
        .header('cache-control', 'no-cache')
        .type('text/html; charset=utf-8')
        .send(page.replace('%CSP_NONCE%', nonce));
    });
  }
}
