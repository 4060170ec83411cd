import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import Fastify from 'fastify';
import { GUIDES_DIRECTORY } from './guides.ts';

/** A file that the pages load. Its name changes with its content, so browsers may cache it forever. */
interface Asset<Body> {
  /** `docs.0f3a….css` */
  readonly name: string;
  readonly type: string;
  readonly body: Body;
}

export interface Assets<Body = unknown> {
  /** Returns a file by its name in the repository: `docs.css`. Reads and encodes it on first use. */
  get(source: AssetSource): Promise<Asset<Body>>;
  /** Returns a file by the name that pages use. Undefined if there is no such file, or if its content has changed. */
  find(name: string): Promise<Asset<Body> | undefined>;
}

const TYPES = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

const own = (name: string) => () => readFile(new URL(`../assets/${name}`, import.meta.url), 'utf8');
const drawing = (name: string) => () => readFile(new URL(name, GUIDES_DIRECTORY), 'utf8');

const SOURCES = {
  'docs.css': own('docs.css'),
  'guide.css': own('guide.css'),
  'code.css': own('code.css'),
  'docs.js': own('docs.js'),
  'theme.js': own('theme.js'),
  'reference.css': own('reference.css'),
  'reference.js': own('reference.js'),
  'favicon.svg': own('favicon.svg'),
  'scalar.js': readScalar,
  'gap-cursors.svg': drawing('gap-cursors.svg'),
} as const satisfies Readonly<Record<string, () => Promise<string>>>;

type AssetSource = keyof typeof SOURCES;

const isSource = (name: string): name is AssetSource => Object.hasOwn(SOURCES, name);

/** `docs.0f3a….css` → `docs.css` */
const sourceOf = (name: string): string => name.replace(/\.[0-9a-f]+(?=\.\w+$)/, '');

/** `encode` turns the text of a file into what the server sends. */
export function createAssets<Body>(encode: (text: string) => Promise<Body>): Assets<Body> {
  const loaded = new Map<AssetSource, Promise<Asset<Body>>>();
  const get: Assets<Body>['get'] = (source) => {
    let asset = loaded.get(source);
    if (asset === undefined) {
      asset = load(source, encode);
      loaded.set(source, asset);
      // After a failure, the next request tries again.
      asset.catch(() => loaded.delete(source));
    }
    return asset;
  };
  return {
    get,
    find: async (name) => {
      const source = sourceOf(name);
      const asset = isSource(source) ? await get(source) : undefined;
      return asset?.name === name ? asset : undefined;
    },
  };
}

/** Characters of the hash in the name of a file. */
const HASH_CHARACTERS = 12;

async function load<Body>(
  source: AssetSource,
  encode: (text: string) => Promise<Body>,
): Promise<Asset<Body>> {
  const text = await SOURCES[source]();
  const [stem = '', extension = ''] = source.split('.');
  const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARACTERS);
  return {
    name: `${stem}.${hash}.${extension}`,
    type: TYPES[extension as keyof typeof TYPES],
    body: await encode(text),
  };
}

const SCALAR_PREFIX = '/scalar';

/**
 * Scalar's script for the browser, 4 MB. Its Fastify plugin has it only as a response, so it is read from an application
 * without a port. The package `@scalar/api-reference` has it as a file, but adds 250 packages.
 */
async function readScalar(): Promise<string> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const app = Fastify();
  await app.register(plugin, { routePrefix: SCALAR_PREFIX, configuration: { url: '/' } });
  const { statusCode, body } = await app.inject(`${SCALAR_PREFIX}/js/scalar.js`);
  await app.close();
  if (statusCode !== 200) throw new Error(`Scalar's plugin answered ${statusCode}.`);
  // The source map is not served.
  return body.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
}
