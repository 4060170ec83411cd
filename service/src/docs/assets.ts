import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { compress } from '../http/compress.ts';
import type { Compressed } from '../http/compressed.ts';
import { GUIDES_DIRECTORY } from './guides.ts';
import { HASH_CHARACTERS } from './limits.ts';
import { readScalar } from './scalar.ts';

/** A file that the pages load. Its name changes with its content, so a browser may keep it. */
export interface Asset {
  /** `docs.0f3a….css` */
  readonly name: string;
  readonly type: string;
  readonly body: Compressed;
}

export interface Assets {
  /** A file by the name in the source: `docs.css`. Read and compressed once, when it is first asked for. */
  get(source: AssetSource): Promise<Asset>;
  /** A file by the name that pages use; undefined: there is none, or it has other content by now. */
  find(name: string): Promise<Asset | undefined>;
}

const TYPES = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

const own = (name: string) => () => readFile(new URL(`public/${name}`, import.meta.url), 'utf8');
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

export type AssetSource = keyof typeof SOURCES;

const isSource = (name: string): name is AssetSource => Object.hasOwn(SOURCES, name);

/** `docs.0f3a….css` → `docs.css` */
const sourceOf = (name: string): string => name.replace(/\.[0-9a-f]+(?=\.\w+$)/, '');

export function createAssets(): Assets {
  const loaded = new Map<AssetSource, Promise<Asset>>();
  const get: Assets['get'] = (source) => {
    let asset = loaded.get(source);
    if (asset === undefined) {
      asset = load(source);
      loaded.set(source, asset);
      // The next request tries again.
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

async function load(source: AssetSource): Promise<Asset> {
  const text = await SOURCES[source]();
  const [stem = '', extension = ''] = source.split('.');
  const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARACTERS);
  return {
    name: `${stem}.${hash}.${extension}`,
    type: TYPES[extension as keyof typeof TYPES],
    body: await compress(text),
  };
}
