import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import type { Encodings, StaticContent } from '../../http/static-content.ts';
import { ONE_YEAR_SECONDS } from '../limits.ts';

/** What the dashboard's build has written (dashboard/vite.config.ts). */
export interface BuiltDashboard {
  /** index.html, with its links relative and a place for the nonce. */
  readonly page: string;
  /** The paths at which it is to be found, in the router's spelling: `/w/$workspaceId`. */
  readonly paths: readonly string[];
  /** By their paths: `/assets/index-0f3a.js`. */
  readonly files: ReadonlyMap<string, StaticContent>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/**
 * Reads a build into memory, so that a running service goes on with what it began with when another one is written;
 * undefined when there is none.
 */
export function readBuilt(directory: string): BuiltDashboard | undefined {
  const read = (name: string): string => readFileSync(join(directory, name), 'utf8');
  if (!existsSync(join(directory, 'index.html'))) return undefined;
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const files = names.flatMap((name): [string, StaticContent][] => {
    const type = TYPES[extname(name)];
    return type === undefined
      ? []
      : [[`/${name.replaceAll(sep, '/')}`, readFile(join(directory, name), type)]];
  });
  const paths = JSON.parse(read('pages.json')) as readonly string[];
  return { page: read('index.html'), paths, files: new Map(files) };
}

function readFile(path: string, type: string): StaticContent {
  const optional = (suffix: string): Buffer | undefined =>
    existsSync(path + suffix) ? readFileSync(path + suffix) : undefined;
  const [br, gzip] = [optional('.br'), optional('.gz')];
  const body: Encodings = {
    identity: readFileSync(path),
    ...(br === undefined ? {} : { br }),
    ...(gzip === undefined ? {} : { gzip }),
  };
  // The names in this folder hold a hash of the content.
  const named = path.includes(`${sep}assets${sep}`);
  return { type, body, cacheControl: named ? `public, max-age=${ONE_YEAR_SECONDS}, immutable` : 'no-cache' };
}
