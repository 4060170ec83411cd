import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { constants, crc32, zstdCompress } from 'node:zlib';
import type { Part } from './parts.ts';

// A backup begins with FIRST_LINE. Then follow frames: the kind of the part (1 byte), the length of its content in bytes
// (4, big endian), the content, and the CRC-32 of all of these (4, big endian). Rows are compressed with zstd, each part
// by itself, and all other parts are JSON.

export const FORMAT = 1;
export const firstLine = (format: number): string => `svc backup, format ${format}\n`;
export const KINDS = { details: 'H', table: 'T', rows: 'D', 'table-end': 'E', end: 'Z' } as const;
export const PREFIX_BYTES = 5;
export const CHECKSUM_BYTES = 4;

const compress = promisify(zstdCompress);
const LEVEL = 3;

/** The frame of a part. */
export async function encode(part: Part): Promise<Buffer> {
  const content =
    part.kind === 'rows'
      ? await compress(part.text, { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } })
      : Buffer.from(JSON.stringify(part.value));
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + content.length + CHECKSUM_BYTES);
  frame.write(KINDS[part.kind], 0, 'latin1');
  frame.writeUInt32BE(content.length, 1);
  content.copy(frame, PREFIX_BYTES);
  const end = PREFIX_BYTES + content.length;
  frame.writeUInt32BE(crc32(frame.subarray(0, end)), end);
  return frame;
}

/** Writes bytes, and waits until the stream has taken them. Throws what the stream fails with, or the reason of an abort. */
export function send(output: Writable, bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal?.reason);
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort, { once: true });
    output.write(bytes, (error) => {
      signal?.removeEventListener('abort', abort);
      if (error) reject(error);
      else resolve();
    });
  });
}
