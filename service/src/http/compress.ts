import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Compressed } from './compressed.ts';

/** Brotli's levels end at 11. 6 takes 0.3 s for the largest file, once, and is within 5 % of the best. */
const BROTLI_LEVEL = 6;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/** A text in each encoding. */
export async function compress(text: string): Promise<Required<Compressed>> {
  const identity = Buffer.from(text);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  };
  const [br, zipped] = await Promise.all([toBrotli(identity, { params }), toGzip(identity)]);
  return { br, gzip: zipped, identity };
}
