import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { decode } from '../src/stream/decode.ts';
import { encode, FORMAT, firstLine } from '../src/stream/encode.ts';
import { type Part, ROWS_MAX_BYTES } from '../src/stream/parts.ts';
import { inChunks, sumRows } from '../src/stream/rows.ts';

const PARTS: readonly Part[] = [
  { kind: 'details', value: { version: '1.0', note: 'Äpfel' } },
  {
    kind: 'table',
    value: { name: 'fruit', columns: ['id'], partitions: [{ name: 'a', from: '1', to: '2' }] },
  },
  { kind: 'rows', text: Buffer.from('1\tapple\n2\tpear\n') },
  { kind: 'table-end', value: { rows: 2, bytes: 15, sha256: 'ab' } },
  { kind: 'end', value: { tables: 1, rows: 2, bytes: 15 } },
];

async function encoded(parts: readonly Part[] = PARTS): Promise<Buffer> {
  return Buffer.concat([Buffer.from(firstLine(FORMAT)), ...(await Promise.all(parts.map(encode)))]);
}

/** Reads the bytes, which arrive in pieces of `size`. */
async function decoded(bytes: Buffer, size = bytes.length): Promise<readonly Part[]> {
  const pieces = Array.from({ length: Math.ceil(bytes.length / Math.max(size, 1)) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  return Array.fromAsync(decode(Readable.from(pieces)));
}

test.each([1, 7, 4096])('parts are read as they were written, in pieces of %i bytes', async (size) => {
  expect(await decoded(await encoded(), size)).toEqual(PARTS);
});

test('every backup that ends too early is refused, wherever it ends', async () => {
  const bytes = await encoded();
  for (let end = 0; end < bytes.length; end++)
    await expect(decoded(bytes.subarray(0, end))).rejects.toThrow(/not complete|is empty|no backup/);
});

test('every flipped bit is noticed', async () => {
  const bytes = await encoded();
  for (let at = 0; at < bytes.length; at++) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
    await expect(decoded(damaged), `byte ${at}`).rejects.toThrow(
      /damaged at byte|not complete|no backup|has format/,
    );
  }
});

test('a backup that continues after its end is refused', async () => {
  await expect(decoded(Buffer.concat([await encoded(), Buffer.from('x')]))).rejects.toThrow('after its end');
});

test('a backup of a newer format is refused with a clear message', async () => {
  const bytes = Buffer.concat([Buffer.from(firstLine(2)), randomBytes(100)]);
  await expect(decoded(bytes)).rejects.toThrow('the backup has format 2, and this program reads format 1');
});

test.each(['', 'not a backup', '{"id":"com_1","name":"Acme"}\n{"id":"com_2"}'])(
  'another file is refused: %j',
  async (text) => {
    await expect(decoded(Buffer.from(text))).rejects.toThrow(/no backup|is empty/);
  },
);

test('rows are added up over any chunks, and divided into chunks of a bounded size', async () => {
  const text = Buffer.from('a row\n'.repeat(400_000));
  const pieces = Array.from({ length: 1000 }, (_, index) => {
    const size = Math.ceil(text.length / 1000);
    return text.subarray(index * size, (index + 1) * size);
  });
  const chunks = await Array.fromAsync(inChunks(Readable.from(pieces)));
  expect(chunks.map(({ length }) => length)).toEqual([
    ROWS_MAX_BYTES,
    ROWS_MAX_BYTES,
    text.length % ROWS_MAX_BYTES,
  ]);
  const [whole, divided] = [sumRows(), sumRows()];
  whole.add(text);
  for (const chunk of chunks) divided.add(chunk);
  expect(divided.rows()).toBe(400_000);
  expect(divided.end()).toEqual(whole.end());
});
