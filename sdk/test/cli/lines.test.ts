import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { SvcError } from '@svc/sdk';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCsv } from '../../src/cli/csv-input.ts';
import { readRecords } from '../../src/cli/lines.ts';
import { csvLine } from '../../src/csv.ts';

const SOURCE = { file: '-', fields: {}, columns: [] };
const read = (stdin: Readable) => readRecords({ stdin }, {}, SOURCE);

/** A program that reads 500,000 lines of NDJSON and prints the number of its records. */
const READER = `
  import { Readable } from 'node:stream';
  import { readRecords } from ${JSON.stringify(String(pathToFileURL(join(import.meta.dirname, '../../src/cli/lines.ts'))))};
  const chunks = Array(500).fill(Buffer.from('{}\\n'.repeat(1_000)));
  let count = 0;
  const stdin = Readable.from(chunks);
  for await (const _ of readRecords({ stdin }, {}, ${JSON.stringify(SOURCE)})) count += 1;
  console.log(count);
`;

test('records of NDJSON have their values and the numbers of their lines, wherever the bytes are divided', async () => {
  const line = fc.oneof(
    fc.string({ unit: 'binary' }).map((text) => JSON.stringify({ text })),
    fc.constantFrom('', ' ', '{"text":"\u2028"}'),
  );
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r', '\n\n');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(line, lineEnd)),
      line,
      fc.integer({ min: 1, max: 7 }),
      async (lines, last, size) => {
        const text = lines.flat().join('') + last;
        const bytes = Buffer.from(text);
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
          bytes.subarray(i * size, (i + 1) * size),
        );
        const expected = text
          .split(/\r\n|\n|\r/)
          .flatMap((json, i) =>
            json.trim() === '' ? [] : [{ line: i + 1, unit: 'line', record: JSON.parse(json) }],
          );
        expect(await Array.fromAsync(read(Readable.from(chunks)))).toEqual(expected);
      },
    ),
  );
});

test('the items of a JSON array are records with the numbers of the items, wherever the bytes are divided', async () => {
  const item = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 2 }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(item),
      fc.constantFrom(undefined, 1, '\t'),
      fc.constantFrom('', '\uFEFF', ' \r\n', '\uFEFF\n'),
      fc.integer({ min: 1, max: 7 }),
      async (items, indent, before, size) => {
        const bytes = Buffer.from(`${before}${JSON.stringify(items, null, indent)}\n`);
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
          bytes.subarray(i * size, (i + 1) * size),
        );
        const expected = items.map((record, i) => ({
          line: i + 1,
          unit: 'item',
          record: JSON.parse(JSON.stringify(record)),
        }));
        expect(await Array.fromAsync(read(Readable.from(chunks)))).toEqual(expected);
      },
    ),
  );
});

test('CSV has the texts that were written, wherever it is divided into chunks', async () => {
  const cells = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"', ',\n', '\r\n', '')), {
    minLength: 2,
    maxLength: 2,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(cells, { minLength: 1 }),
      fc.integer({ min: 1, max: 7 }),
      async (rows, size) => {
        const bytes = Buffer.from([['id', 'name'], ...rows].map(csvLine).join(''));
        async function* chunks() {
          for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
        }
        const columns = ['id', 'name'];
        const found = [];
        for await (const { record } of readCsv(chunks(), {
          name: 'it',
          fields: { id: 'text', name: 'text' },
          columns,
        }))
          found.push([record['id'], record['name']]);
        expect(found).toEqual(rows);
      },
    ),
    { numRuns: 300 },
  );
});

test.each([
  ['74', 74],
  ['-5', -5],
  ['0', 0],
  ['074', '074'],
  ['00', '00'],
  ['-07', '-07'],
  ['7e1', '7e1'],
  ['7.0', '7.0'],
  [' 74', ' 74'],
  ['1234567890123456', '1234567890123456'],
])('the cell %j of a column of integers is %j: the service refuses a text', async (cell, value) => {
  const bytes = Readable.from([Buffer.from(`score,name\n${cell},${cell}\n`)]);
  const columns = {
    name: 'it',
    fields: { score: 'integer', name: 'text' },
    columns: ['score', 'name'],
  } as const;
  expect(await Array.fromAsync(readCsv(bytes, columns))).toEqual([
    { line: 2, unit: 'line', record: { score: value, name: cell } },
  ]);
});

test.each([
  ['[{"id":"a"},', ['a'], 'The JSON array in standard input has no end.'],
  ['[{"id":"a"},{"id":', ['a'], 'The JSON array in standard input has no end.'],
  ['[{"id":"a"},"b"]', ['a'], 'Item 2 of standard input is not a JSON object.'],
  ['[{"id":"a"},{"id":"b\n"}]', ['a'], 'Item 2 of standard input is not a JSON object.'],
  ['[{"id":"a"},,{"id":"b"}]', ['a'], 'Item 2 of standard input is not a JSON object.'],
  ['[,{"id":"b"}]', [], 'Item 1 of standard input is not a JSON object.'],
  ['[{"id":"a"}\n,\n]', ['a'], 'Item 2 of standard input is not a JSON object.'],
  ['[{"id":"a"}]]', ['a'], 'The JSON array in standard input has ended, but the file continues.'],
  ['[{"id":"a"}]\n{"id":"b"}', ['a'], 'The JSON array in standard input has ended, but the file continues.'],
  ['[{"id":"a"}}]', [], 'Item 1 of standard input is not a JSON object.'],
  ['{\n"id":"a"}', [], 'one JSON object per line, or a JSON array.'],
])('%j ends with an error after its good items', async (text, expected, message) => {
  const ids: unknown[] = [];
  const reading = (async () => {
    for await (const { record } of read(Readable.from([Buffer.from(text)]))) ids.push(record['id']);
  })();
  await expect(reading).rejects.toThrow(message);
  expect(ids).toEqual(expected);
});

test.each([
  ['{"id":"a"}\n', 'Line 2 of standard input or a later line is not UTF-8.'],
  ['\uFEFF[{"id":"a"},\n\n', 'Item 2 of standard input or a later item is not UTF-8.'],
])(
  '%j and a text that is not UTF-8 ends with an error, wherever the bytes are divided',
  async (text, message) => {
    const start = Buffer.from(text);
    for (const rest of [Buffer.from('{"id":"Café"}\n', 'latin1'), Buffer.from('{"id":"Café').subarray(0, -1)])
      for (let size = 1; size <= rest.length; size++) {
        const ids: unknown[] = [];
        const reading = (async () => {
          const chunks = [start, rest.subarray(0, size), rest.subarray(size)];
          for await (const { record } of read(Readable.from(chunks))) ids.push(record['id']);
        })();
        await expect(reading).rejects.toThrow(new SvcError(message));
        expect(ids).toEqual(['a']);
      }
  },
);

test('an input that fails is reported after the records before the failure', async () => {
  async function* failing() {
    yield Buffer.from('{"id":"a"}\n{"id":');
    throw new Error('EIO: i/o error, read');
  }
  const ids: unknown[] = [];
  const reading = (async () => {
    for await (const { record } of read(Readable.from(failing()))) ids.push(record['id']);
  })();
  await expect(reading).rejects.toThrow(new SvcError('standard input cannot be read: EIO: i/o error, read'));
  expect(ids).toEqual(['a']);
});

test('a file with any number of lines needs little memory', async () => {
  const args = ['--max-old-space-size=48', '--input-type=module', '--eval', READER];
  const env = { ...process.env, NODE_NO_WARNINGS: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  expect(stdout).toBe('500000\n');
});
