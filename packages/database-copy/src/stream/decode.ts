import { promisify } from 'node:util';
import { crc32, zstdDecompress } from 'node:zlib';
import { CopyError } from '../errors.ts';
import { CHECKSUM_BYTES, FORMAT, firstLine, KINDS, PREFIX_BYTES } from './encode.ts';
import { type Part, type Partition, ROWS_MAX_BYTES, type TableStart } from './parts.ts';

const decompress = promisify(zstdDecompress);
/** More than any part has: a greater length is damage. */
const CONTENT_MAX_BYTES = 8 * 1024 * 1024;
const FIRST_LINE = /^svc backup, format (\d{1,9})\n$/;

/**
 * Reads the parts of a backup. Throws CopyError if the stream is no backup, of a newer format, damaged, too short, or
 * longer than the backup. Says so at the first wrong byte or, if bytes are missing, at the end.
 */
export async function* decode(input: AsyncIterable<Uint8Array>): AsyncGenerator<Part> {
  const bytes = byteReader(input);
  try {
    await readFirstLine(bytes);
    for (;;) {
      const part = await readPart(bytes);
      if (part.kind !== 'end') {
        yield part;
        continue;
      }
      if ((await bytes.take(1)).length > 0) throw damaged(bytes.position, 'it continues after its end');
      yield part;
      return;
    }
  } finally {
    await bytes.close();
  }
}

async function readFirstLine(bytes: ByteReader): Promise<void> {
  const line = (await bytes.take(firstLine(FORMAT).length)).toString('latin1');
  const format = FIRST_LINE.exec(line)?.[1];
  if (format === undefined)
    throw new CopyError(line === '' ? 'the backup is empty' : 'this is no backup: it does not begin as one');
  if (Number(format) !== FORMAT)
    throw new CopyError(
      `the backup has format ${format}, and this program reads format ${FORMAT}: use a newer one`,
    );
}

async function readPart(bytes: ByteReader): Promise<Part> {
  const at = bytes.position;
  const prefix = await bytes.takeAll(PREFIX_BYTES);
  const length = prefix.readUInt32BE(1);
  if (length > CONTENT_MAX_BYTES) throw damaged(at);
  const content = await bytes.takeAll(length);
  const checksum = (await bytes.takeAll(CHECKSUM_BYTES)).readUInt32BE();
  if (checksum !== crc32(content, crc32(prefix))) throw damaged(at);
  try {
    return await parsePart(prefix.toString('latin1', 0, 1), content);
  } catch (error) {
    throw damaged(at, undefined, error);
  }
}

async function parsePart(letter: string, content: Buffer): Promise<Part> {
  if (letter === KINDS.rows)
    return { kind: 'rows', text: await decompress(content, { maxOutputLength: ROWS_MAX_BYTES }) };
  const kind = (['details', 'table', 'table-end', 'end'] as const).find((name) => KINDS[name] === letter);
  const value: unknown = JSON.parse(content.toString('utf8'));
  if (kind === undefined || !isComplete(kind, value)) throw new Error('this part is unknown');
  return { kind, value } as Part;
}

/** Whether the JSON of a part has all its fields. */
function isComplete(kind: Exclude<Part['kind'], 'rows'>, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  const numbers = (...names: readonly string[]) => names.every((name) => Number.isSafeInteger(fields[name]));
  if (kind === 'details') return true;
  if (kind === 'end') return numbers('tables', 'rows', 'bytes');
  if (kind === 'table-end') return numbers('rows', 'bytes') && typeof fields['sha256'] === 'string';
  const { name, columns, partitions } = fields as Partial<TableStart>;
  return (
    typeof name === 'string' &&
    Array.isArray(columns) &&
    columns.every((column) => typeof column === 'string') &&
    Array.isArray(partitions) &&
    partitions.every((partition: Partition) =>
      [partition.name, partition.from, partition.to].every((text) => typeof text === 'string'),
    )
  );
}

const damaged = (position: number, how = 'its checksum is wrong', cause?: unknown): CopyError =>
  new CopyError(`the backup is damaged at byte ${position}: ${how}`, { cause });

interface ByteReader {
  /** How many bytes were taken. */
  readonly position: number;
  /** The next bytes; fewer at the end of the input. */
  take(count: number): Promise<Buffer>;
  /** The next bytes. Throws CopyError if there are fewer. */
  takeAll(count: number): Promise<Buffer>;
  close(): Promise<void>;
}

function byteReader(input: AsyncIterable<Uint8Array>): ByteReader {
  const chunks = input[Symbol.asyncIterator]();
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let position = 0;
  const take = async (count: number): Promise<Buffer> => {
    while (heldBytes < count) {
      const next = await chunks.next();
      if (next.done === true) break;
      held.push(next.value);
      heldBytes += next.value.length;
    }
    const all =
      held.length === 1 && held[0] !== undefined
        ? Buffer.from(held[0].buffer, held[0].byteOffset, held[0].length)
        : Buffer.concat(held);
    const taken = all.subarray(0, count);
    const rest = all.subarray(count);
    held = rest.length > 0 ? [rest] : [];
    heldBytes = rest.length;
    position += taken.length;
    return taken;
  };
  return {
    get position() {
      return position;
    },
    take,
    async takeAll(count) {
      const taken = await take(count);
      if (taken.length < count)
        throw new CopyError(`the backup is not complete: it ends after ${position} bytes`);
      return taken;
    },
    async close() {
      await chunks.return?.();
    },
  };
}
