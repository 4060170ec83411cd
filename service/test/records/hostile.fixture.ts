import type { Format } from '../../src/bulk/batches.ts';

/** Files that are made to cost their reader more than their size, in chunks as a socket gives them. */

const CHUNK_BYTES = 64 * 1024;

export interface HostileFile {
  readonly format: Format;
  /** A file of the companies with about this many bytes. */
  readonly chunks: (bytes: number) => Iterable<Buffer>;
}

/** Chunks of a text that is repeated up to a number of bytes. */
function* repeated(text: string | Buffer, bytes: number): Generator<Buffer> {
  const unit = Buffer.from(text);
  const chunk = Buffer.concat(Array<Buffer>(Math.ceil(CHUNK_BYTES / unit.length)).fill(unit));
  for (let left = bytes; left > 0; left -= chunk.length) {
    yield chunk.subarray(0, Math.ceil(left / unit.length) * unit.length);
  }
}

const HEADER = 'id,name\n';

const csv = (unit: string | Buffer, before = ''): HostileFile => ({
  format: 'csv',
  *chunks(bytes) {
    yield Buffer.from(HEADER + before);
    yield* repeated(unit, bytes);
  },
});

const ndjson = (unit: string | Buffer): HostileFile => ({
  format: 'ndjson',
  chunks: (bytes) => repeated(unit, bytes),
});

const LONG_LINES = 4;
/** A few lines, each of a text that is repeated. */
const longLines = (before: string, unit: string, after = ''): HostileFile => ({
  format: 'ndjson',
  *chunks(bytes) {
    for (let i = 0; i < LONG_LINES; i++) {
      yield Buffer.from(before);
      yield* repeated(unit, bytes / LONG_LINES);
      yield Buffer.from(`${after}\n`);
    }
  },
});

const fields = (count: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 1])));

const ONE_BYTE: HostileFile = {
  format: 'csv',
  *chunks(bytes) {
    for (const chunk of csv('x', 'a,"').chunks(bytes)) {
      for (let at = 0; at < chunk.length; at++) yield chunk.subarray(at, at + 1);
    }
  },
};

export const HOSTILE_FILES: Readonly<Record<string, HostileFile>> = {
  'CSV: empty lines in an open quote': csv('\n', 'a,"'),
  'CSV: empty lines with a carriage return in an open quote': csv('\r\n', 'a,"'),
  'CSV: one-character lines in an open quote': csv('x\n', 'a,"'),
  'CSV: escaped quotes in an open quote': csv('""\n', 'a,"'),
  'CSV: each line closes a quote and opens the next': csv('",x,"\n', 'a,"'),
  'CSV: each line opens a quote and closes it after a comma': csv('",","\n'),
  'CSV: each line is a quote': csv('"\n'),
  'CSV: many cells, then many lines in a quote': {
    format: 'csv',
    *chunks(bytes) {
      yield Buffer.from(HEADER);
      yield* repeated(',', bytes / 2);
      yield Buffer.from('"');
      yield* repeated('x\n', bytes / 2);
    },
  },
  'CSV: as many cells as are read, then many lines in a quote': csv(
    `${','.repeat(90)}"${'x\n'.repeat(9_000)}`,
  ),
  'CSV: commas only': csv(','),
  'CSV: lines of many cells': csv(`${'a,'.repeat(200)}\n`),
  'CSV: quotes only': csv('"'),
  'CSV: quoted cells only': csv('"",'),
  'CSV: a quote in a bare cell': csv('a"\n'),
  'CSV: blank lines': csv('\n'),
  'CSV: one-character lines': csv('x\n'),
  'CSV: carriage returns only': csv('a,b\r'),
  'CSV: U+0000': csv('\0,\0\n'),
  'CSV: byte order marks': csv('\uFEFF\n'),
  'CSV: lone surrogates': csv(Buffer.from([0xed, 0xa0, 0x80, 0x0a])),
  'CSV: lines that are not UTF-8 in an open quote': csv(Buffer.from([0xff, 0x0a]), 'a,"'),
  'CSV: a chunk for each byte': ONE_BYTE,
  'NDJSON: blank lines': ndjson('\n'),
  'NDJSON: lines of spaces': ndjson(`${' '.repeat(200)}\n`),
  'NDJSON: one-character lines': ndjson('1\n'),
  'NDJSON: empty objects': ndjson('{}\n'),
  'NDJSON: lines that are not JSON': ndjson('{"a\n'),
  'NDJSON: lines that are not UTF-8': ndjson(Buffer.from([0xff, 0x0a])),
  'NDJSON: one line': ndjson('x'),
  'NDJSON: unknown fields': ndjson(`${fields(90)}\n`),
  'NDJSON: too many fields': ndjson(`${fields(900)}\n`),
  'NDJSON: deep arrays': longLines('', '['),
  'NDJSON: deep objects': longLines('', '{"a":'),
  'NDJSON: empty arrays': longLines('[', '[],', '0]'),
  'NDJSON: empty objects in a field': longLines('{"name":[', '{},', '0]}'),
  'NDJSON: one key over and over': longLines('{', '"id":"a",', '"id":"a"}'),
  'NDJSON: __proto__ over and over': longLines('{', '"__proto__":{},', '"id":"a"}'),
  'NDJSON: a number of many digits': longLines('{"id":', '9', '}'),
  'NDJSON: a long text': longLines('{"name":"', 'x', '"}'),
  'NDJSON: escapes': longLines('{"name":"', '\\u0000', '"}'),
  'NDJSON: backslashes': longLines('{"name":"', '\\\\', '"}'),
};
