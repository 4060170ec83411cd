import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import type { StaticContent } from './static-content.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** How long a browser may keep a file whose name changes with its content. */
const ONE_YEAR_SECONDS = 365 * 24 * 60 * 60;

/**
 * Reads the files of a build by path, such as `/assets/index-0f3a.js`, with their compressed forms (`.br`, `.gz`). Names in
 * the folder `assets` contain a hash of the content, so clients keep these files.
 */
export const readStaticFiles = (
  directory: string,
): readonly (readonly [path: string, file: StaticContent])[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const type = TYPES[extname(name)];
    return type === undefined
      ? []
      : [[`/${name.replaceAll(sep, '/')}`, readFile(join(directory, name), type)] as const];
  });

function readFile(path: string, type: string): StaticContent {
  const optional = (suffix: string): Buffer | undefined =>
    existsSync(path + suffix) ? readFileSync(path + suffix) : undefined;
  const [br, gzip] = [optional('.br'), optional('.gz')];
  const body = {
    identity: readFileSync(path),
    ...(br === undefined ? {} : { br }),
    ...(gzip === undefined ? {} : { gzip }),
  };
  const immutable = path.includes(`${sep}assets${sep}`);
  const cacheControl = immutable ? `public, max-age=${ONE_YEAR_SECONDS}, immutable` : 'no-cache';
  return { type, body, cacheControl };
}
