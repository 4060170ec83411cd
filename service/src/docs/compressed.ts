import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Compressed } from '../http/compressed.ts';
import { BROTLI_LEVEL } from './limits.ts';

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
