import { type Cell, csvReader, ROW_CELLS_MAX, ROW_MAX_LINES, readLines } from '@svc/csv-lines';
import { writableFields } from '@svc/sdk/contract';
import { csvLine } from '@svc/sdk/csv';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RECORD_RESOURCES } from '../resources/index.ts';

const cellText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', 'a', ' ', '""', '\r\n', 'ä') }),
);
const cell: fc.Arbitrary<Cell> = fc.oneof(fc.constant(null), cellText);
const table = fc
  .integer({ min: 2, max: 4 })
  .chain((columns) => fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { maxLength: 8 }));

async function read(
  text: string,
  chunkBytes = 64 * 1024,
): Promise<{ cells: readonly Cell[]; flaw: string | null }[]> {
  const bytes = Buffer.from(text);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
  const reader = csvReader();
  const records = [];
  for await (const lines of readLines(chunks())) records.push(...reader.read(lines));
  return [...records, ...reader.end()].map(({ cells, flaw }) => ({ cells, flaw }));
}

test('written cells are read back the same, also null and the empty text, with chunks of any size', async () => {
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.constantFrom('\n', '\r\n'),
      fc.integer({ min: 1, max: 9 }),
      async (rows, end, bytes) => {
        const text = rows.map((row) => csvLine(row).replace(/\n$/, end)).join('');
        // A row with only nulls still has commas, so no line is blank.
        expect(await read(text, bytes)).toEqual(rows.map((cells) => ({ cells, flaw: null })));
      },
    ),
  );
});

test('it reads what other programs write, and they read what it writes', async () => {
  await fc.assert(
    fc.asyncProperty(table, async (rows) => {
      const empty = rows.map((row) => row.map((one) => one ?? ''));
      // Without `quoted`, csv-stringify quotes only the line break that ends its records.
      const quotesEnough = !empty.flat().some((one) => one.includes('\r'));
      for (const quoted of quotesEnough ? [false, true] : [true]) {
        const records = await read(stringify(empty, { quoted, record_delimiter: '\n' }));
        expect(records.map(({ cells }) => cells.map((one) => one ?? ''))).toEqual(empty);
      }
      const text = rows.map(csvLine).join('');
      expect(parse(text, { record_delimiter: '\n' })).toEqual(empty);
    }),
  );
});

test('of a broken row only the first line is refused', async () => {
  const good = (cells: readonly Cell[]) => ({ cells, flaw: null });
  const bad = (flaw: RegExp) => ({ cells: [], flaw: expect.stringMatching(flaw) });
  expect(await read('a"b,c\nd,e\n')).toEqual([bad(/inside a cell/), good(['d', 'e'])]);
  expect(await read('"a"b,c\nd,e\n')).toEqual([bad(/after the closing quote/), good(['d', 'e'])]);
  expect(await read('"a,b\nc,d\ne,f')).toEqual([bad(/not closed/), good(['c', 'd']), good(['e', 'f'])]);
  expect(await read('"a,b\nc,"d"\ne,f')).toEqual([
    bad(/after the closing quote/),
    good(['c', 'd']),
    good(['e', 'f']),
  ]);
  expect(await read('"a,b\nc,"d\ne,f')).toEqual([
    bad(/after the closing quote/),
    bad(/not closed/),
    good(['e', 'f']),
  ]);
});

test('with a quote that is never closed, only its line is refused, and a bounded number of lines is kept in memory', async () => {
  const lines = Array.from({ length: 60_000 }, (_, i) => `line ${i},with some text`);
  const records = await read(['"open,x', ...lines].join('\n'));
  expect(records.length).toBe(60_001);
  expect(records.filter(({ flaw }) => flaw !== null)).toEqual([
    { cells: [], flaw: expect.stringMatching(/not closed/) },
  ]);
});

test('blank lines are skipped, but not inside quotes', async () => {
  expect((await read('\r\na,"b\n\nc"\n\n\nd,\n')).map(({ cells }) => cells)).toEqual([
    ['a', 'b\n\nc'],
    ['d', null],
  ]);
});

test('a row with too many cells is refused, and only its first line', async () => {
  const cells = (count: number): string => Array(count).fill('a').join(',');
  const [longest, longer, last] = await read(`${cells(ROW_CELLS_MAX)}\n${cells(ROW_CELLS_MAX + 1)}\nb`);
  expect(longest?.cells.length).toBe(ROW_CELLS_MAX);
  expect(longer).toEqual({ cells: [], flaw: 'has more than 100 cells' });
  expect(last).toEqual({ cells: ['b'], flaw: null });
});

test('a row with too many lines is refused, and each of its other lines is read again', async () => {
  const lines = (count: number): string => `"a${'\n'.repeat(count - 1)}",b\n`;
  const [longest] = await read(lines(ROW_MAX_LINES));
  expect(longest).toEqual({ cells: [`a${'\n'.repeat(ROW_MAX_LINES - 1)}`, 'b'], flaw: null });
  // The last line of the row is a broken row too.
  expect(await read(`${lines(ROW_MAX_LINES + 1)}c`)).toEqual([
    { cells: [], flaw: expect.stringMatching(/not closed/) },
    { cells: [], flaw: expect.stringMatching(/not closed/) },
    { cells: ['c'], flaw: null },
  ]);
});

test('the longest record of every resource is within the limits', () => {
  for (const resource of RECORD_RESOURCES) {
    const fields = Object.values(writableFields(resource, 'import'));
    const characters = fields.map((field) => (field.kind === 'text' ? field.max : 64));
    expect(characters.reduce((sum, one) => sum + one, 0)).toBeLessThan(ROW_MAX_LINES);
    expect(fields.length).toBeLessThan(ROW_CELLS_MAX);
  }
});
