import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const COMPRESSIBLE = /\.(?:js|css|svg)$/;
/** Smaller files are not worth compressing. */
const WORTHWHILE_BYTES = 256;

/** Writes a .br and a .gz next to each built file, with the best compression. The service sends them unchanged. */
export function compressed(): Plugin {
  let directory = '';
  return {
    name: 'svc:compressed',
    apply: 'build',
    configResolved: ({ root, build: { outDir } }) => {
      directory = resolve(root, outDir);
    },
    closeBundle: async () => {
      const files = await readdir(directory, { recursive: true });
      await Promise.all(
        files.filter((file) => COMPRESSIBLE.test(file)).map((file) => compress(join(directory, file))),
      );
    },
  };
}

async function compress(path: string): Promise<void> {
  const content = await readFile(path);
  if (content.length < WORTHWHILE_BYTES) return;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  await writeFile(`${path}.br`, await promisify(brotliCompress)(content, { params }));
  await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }));
}
