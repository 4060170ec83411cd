import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

/** Where people come in: with a link's token in the fragment, or with their password. */
const ENTRANCES = ['/set-up', '/sign-in', '/invitation'] as const;

const FILES = {
  '/page/page.js': ['page.js', 'text/javascript; charset=utf-8'],
  '/page/dom.js': ['dom.js', 'text/javascript; charset=utf-8'],
  '/page/page.css': ['page.css', 'text/css; charset=utf-8'],
} as const;

const read = (name: string): string => readFileSync(new URL(`./page/${name}`, import.meta.url), 'utf8');

/** The small page behind every link; it talks to the endpoints as any other client. */
export function registerPages(scope: FastifyInstance, publicUrl: string): void {
  scope.get('/', (_, reply) => reply.redirect(`${publicUrl}/dashboard/sign-in`));
  const page = read('page.html');
  for (const path of ENTRANCES) {
    scope.get(path, (_, reply) =>
      reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(page),
    );
  }
  for (const [path, [name, type]] of Object.entries(FILES)) {
    const content = read(name);
    scope.get(path, (_, reply) => reply.header('cache-control', 'no-cache').type(type).send(content));
  }
}
