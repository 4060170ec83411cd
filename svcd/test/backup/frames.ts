import { crc32, zstdCompressSync } from 'node:zlib';

const PREFIX_BYTES = 5;
const CHECKSUM_BYTES = 4;

/** A part of a backup: its letter and its content. packages/database-copy/src/stream/encode.ts describes the format. */
export interface Frame {
  readonly letter: string;
  readonly content: Buffer;
}

const endOfFirstLine = (backup: Buffer): number => backup.indexOf('\n') + 1;

/** The parts of a backup, without its first line. */
export function framesOf(backup: Buffer): readonly Frame[] {
  const frames: Frame[] = [];
  for (let at = endOfFirstLine(backup); at < backup.length; ) {
    const start = at + PREFIX_BYTES;
    const end = start + backup.readUInt32BE(at + 1);
    frames.push({ letter: backup.toString('latin1', at, at + 1), content: backup.subarray(start, end) });
    at = end + CHECKSUM_BYTES;
  }
  return frames;
}

/** A backup of these parts, with right checksums. */
export const backupOf = (frames: readonly Frame[]): Buffer =>
  Buffer.concat([Buffer.from('svc backup, format 1\n'), ...frames.map(bytesOf)]);

function bytesOf({ letter, content }: Frame): Buffer {
  const bytes = Buffer.alloc(PREFIX_BYTES + content.length + CHECKSUM_BYTES);
  bytes.write(letter, 'latin1');
  bytes.writeUInt32BE(content.length, 1);
  content.copy(bytes, PREFIX_BYTES);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, -CHECKSUM_BYTES)), bytes.length - CHECKSUM_BYTES);
  return bytes;
}

export const jsonFrame = (letter: string, value: unknown): Frame => ({
  letter,
  content: Buffer.from(JSON.stringify(value)),
});

export const rowsFrame = (text: Buffer): Frame => ({ letter: 'D', content: zstdCompressSync(text) });

export const jsonOf = <T>({ content }: Frame): T => JSON.parse(content.toString('utf8')) as T;
