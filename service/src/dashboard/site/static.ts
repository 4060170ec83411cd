import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import { securityHeaders } from '../../http/security-headers.ts';
import { sendContent } from '../../http/static-content.ts';
import { STYLE_NONCE_BYTES } from '../limits.ts';
import { type BuiltDashboard, readBuilt } from './built.ts';

/** What `npm run build -w dashboard` writes. */
const BUILT = fileURLToPath(new URL('../../../../dashboard/dist', import.meta.url));

export interface StaticOptions {
  readonly publicUrl: string;
  /** Default: where the dashboard's build writes. */
  readonly directory?: string | undefined;
}

/**
 * Serves the built dashboard: index.html at the paths of its pages (the build lists them) and at no other, its files
 * beside it. Without a build it says so once, and there is the API alone.
 */
export function registerStatic(app: FastifyInstance, { publicUrl, directory = BUILT }: StaticOptions): void {
  const built = readBuilt(directory);
  if (built === undefined) {
    app.log.warn('the dashboard is not built, so it is not served: npm run build -w dashboard');
    return;
  }
  app.register((scope, _, done) => {
    scope.register(helmet, { ...securityHeaders(publicUrl), global: false });
    // In a scope of its own, loaded behind the one that brings reply.helmet.
    scope.register((pages, _, done) => {
      registerPages(pages, built, publicUrl);
      for (const [path, file] of built.files) {
        pages.get(path, (request, reply) => sendContent(request, reply, file));
      }
      done();
    });
    done();
  });
}

function registerPages(scope: FastifyInstance, { page, paths }: BuiltDashboard, publicUrl: string): void {
  const base = new URL(publicUrl).pathname.replace(/\/$/, '');
  const placed = page.replaceAll('="./', `="${base}/`);
  for (const path of paths) {
    scope.get(path.replaceAll('$', ':'), async (_, reply) => {
      const nonce = randomBytes(STYLE_NONCE_BYTES).toString('base64url');
      await reply.helmet(securityHeaders(publicUrl, nonce));
      return reply
        .header('cache-control', 'no-cache')
        .type('text/html; charset=utf-8')
        .send(placed.replace('%CSP_NONCE%', nonce));
    });
  }
}
