import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import { type Encoding, encodingOf, refusesIdentity } from './encoding.ts';

/** What is smaller fits into one packet with its headers, so that compression saves no time. */
export const COMPRESSED_MIN_BYTES = 1_400;
/** Up to this size, the compression takes less than half a millisecond of the event loop. A thread would cost more. */
export const COMPRESSED_AT_ONCE_MAX_BYTES = 64 * 1024;

const GZIP = { level: constants.Z_BEST_SPEED };
const brotliOf = (bytes: number) => ({
  params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_SIZE_HINT]: bytes },
});

const gzipInThread = promisify(gzip);
const brotliInThread = promisify(brotliCompress);

export interface CompressedBody {
  readonly encoding: Exclude<Encoding, 'identity'>;
  readonly body: Buffer;
}

/**
 * Returns a function that compresses bodies that are created for one response, with the fastest levels. It returns undefined
 * if the body is to be sent as it is: the client does not ask for it, the body is small, or `threads` large bodies are being
 * compressed. `threads` must be less than the threads of libuv (4), which other work needs too.
 */
export function createCompressor({ threads }: { readonly threads: number }) {
  let running = 0;
  return (
    header: string | undefined,
    text: string,
  ): CompressedBody | Promise<CompressedBody | undefined> | undefined => {
    const encoding = encodingOf(header);
    if (encoding === 'identity') return undefined;
    const bytes = Buffer.byteLength(text);
    if (bytes < COMPRESSED_MIN_BYTES && !refusesIdentity(header)) return undefined;
    if (bytes <= COMPRESSED_AT_ONCE_MAX_BYTES) {
      const body = encoding === 'br' ? brotliCompressSync(text, brotliOf(bytes)) : gzipSync(text, GZIP);
      return { encoding, body };
    }
    if (running >= threads) return undefined;
    running += 1;
    const compressing = encoding === 'br' ? brotliInThread(text, brotliOf(bytes)) : gzipInThread(text, GZIP);
    return compressing
      .then(
        (body) => ({ encoding, body }),
        () => undefined,
      )
      .finally(() => {
        running -= 1;
      });
  };
}
