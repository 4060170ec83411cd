import { CONTRACT } from '@svc/sdk/contract';
import { describe, expect, test } from 'vitest';
import { columnsParameter, guessColumns, missingFields } from './column-map.ts';
import { type FileHead, HEAD_BYTES, readHead } from './file-head.ts';

const head = async (name: string, content: string | Uint8Array<ArrayBuffer>): Promise<FileHead> => {
  const read = await readHead(new File([content], name));
  if (typeof read === 'string') throw new Error(read);
  return read;
};
const refusal = (content: string | Uint8Array<ArrayBuffer>, name = 'a.csv') =>
  readHead(new File([content], name));
const utf16 = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(`\uFEFF${text}`, 'utf16le'));
const latin1 = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'latin1'));

describe('the beginning of a file', () => {
  test.each([
    ['a quoted comma', 'name,domain\n"Acme, Ltd",a.example\n', ['Acme, Ltd', 'a.example']],
    ['a quoted line break', 'name,domain\n"Acme\nLtd",a.example\n', ['Acme\nLtd', 'a.example']],
    ['semicolons', 'name;domain\nAcme;a.example\n', ['Acme', 'a.example']],
    ['tabs', 'name\tdomain\nAcme\ta.example\n', ['Acme', 'a.example']],
    ['CRLF', 'name,domain\r\nAcme,a.example\r\n', ['Acme', 'a.example']],
    ['a byte order mark', '\uFEFFname,domain\nAcme,a.example\n', ['Acme', 'a.example']],
    ['UTF-16', utf16('name,domain\nAcme,a.example\n'), ['Acme', 'a.example']],
    ['no line break at the end', 'name,domain\nAcme,a.example', ['Acme', 'a.example']],
    ['an empty last cell', 'name,domain\nAcme,\n', ['Acme', '']],
  ])('reads CSV with %s', async (_, text, row) => {
    const { columns, rows } = await head('a.csv', text);
    expect(columns).toEqual(['name', 'domain']);
    expect(rows).toEqual([{ line: expect.any(Number), cells: row, flaw: null }]);
  });

  test('has a sample whose lines are those of its rows', async () => {
    const { sample, sampleLines, rows } = await head('a.csv', 'name\n\n\n"A\nB"\nC\n"bad\n');
    expect(sample.split('\n')).toEqual(['name', '"A', 'B"', 'C', '"bad', '']);
    expect(sampleLines).toEqual([2, 4, 5]);
    expect(rows.map(({ line, flaw }) => [line, flaw === null])).toEqual([
      [4, true],
      [6, true],
      [7, false],
    ]);
  });

  test('reads NDJSON and a JSON array, and says which record is no object', async () => {
    const lines = await head('a.ndjson', '{"name":"Acme"}\n\n{"name":\n{"id":"b","size":{"a":1}}\n');
    expect(lines.columns).toEqual(['name', 'id', 'size']);
    expect(lines.rows.map(({ line, flaw }) => [line, flaw === null])).toEqual([
      [1, true],
      [3, false],
      [4, true],
    ]);
    const array = await head('a.json', ' [\n {"name": "A,]\\""},\n {"name": "B"}\n]\n');
    expect(array.kind).toBe('JSON array');
    expect(array.rows.map(({ line, cells }) => [line, ...cells])).toEqual([
      [1, 'A,]"'],
      [2, 'B'],
    ]);
  });

  test.each([
    ['an Excel workbook', Uint8Array.of(0x50, 0x4b, 3, 4, 20), 'CSV UTF-8'],
    ['gzip', Uint8Array.of(0x1f, 0x8b, 8), 'Unpack it'],
    ['an image', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13), 'image'],
    ['U+0000', 'name\nA\0\n', 'not a text file'],
    ['Latin-1', latin1('name\nMüller\n'), 'Line 2 is not UTF-8. Save the sheet as “CSV UTF-8”'],
    ['Latin-1 after its first rows', latin1(`name\n${'A\n'.repeat(20)}Müller`), 'Line 22 is not UTF-8.'],
    ['a header row in Latin-1', latin1('name,Größe\nA,1\n'), 'Line 1 is not UTF-8. Save the sheet as'],
    ['an array in Latin-1', latin1('[\n{"name":"Müller"}]'), 'Line 2 is not UTF-8. Save the file in UTF-8'],
    [
      'a long line in Latin-1',
      latin1(`[${'{"name":"Müller"},'.repeat(5_000)}{}]`),
      'Line 1 is not UTF-8. Save',
    ],
    ['nothing', '', 'empty'],
    ['one line of 1 MiB', 'x'.repeat(1024 * 1024), 'first line is longer'],
    ['a million columns', 'a,'.repeat(1_000_000), 'first line is longer'],
    ['a repeated name', 'name,site,site,,\nA,a.example,b.example,,\n', 'Two columns are named “site”.'],
    ['many columns', 'a,'.repeat(200), 'more than 100 cells'],
    ['a quote that is never closed', `"${'x\n'.repeat(HEAD_BYTES)}`, 'a quote is not closed'],
  ])('refuses %s, and says what to do', async (_, content, words) => {
    expect(await refusal(content)).toContain(words);
  });

  test.each([
    ['CSV', 'a.csv', '\uFEFFname\nMüller\n\uFFFD\n', 'Müller\nB\n', [2, 3, 4]],
    ['NDJSON', 'a.ndjson', '\uFEFF{"name":"Müller"}\n{"name":"\uFFFD"}\n', '{"name":"Müller"}\n', [1, 2, 3]],
    ['a JSON array', 'a.json', '[{"name":"Müller"},\n{"name":"\uFFFD"},', '{"name":"Müller"}]', [1, 2, 3]],
  ])('marks only the lines that are not UTF-8 if others are: %s', async (_, name, utf8, bad, lines) => {
    const { rows } = await head(name, new Uint8Array(Buffer.concat([Buffer.from(utf8), latin1(bad)])));
    expect(rows[0]?.cells).toEqual(['Müller']);
    expect(rows.slice(0, 3).map(({ line }) => line)).toEqual(lines);
    expect(rows.slice(0, 3).map(({ flaw }) => flaw)).toEqual([null, null, 'is not UTF-8']);
  });

  test('asks for NDJSON in UTF-8 if it has another encoding', async () => {
    const words = 'Line 1 is not UTF-8. Save the file in UTF-8, then choose it.';
    expect(await refusal(latin1('{"name":"Müller"}\n'), 'a.ndjson')).toBe(words);
  });

  test('reads a file in UTF-8 that it cuts within a character', async () => {
    const { rows } = await head('a.csv', `names\n${'ü€\n'.repeat(HEAD_BYTES)}`);
    expect(rows.map(({ flaw }) => flaw)).toEqual(Array.from({ length: 8 }, () => null));
  });

  test('refuses a file that is too large by its size alone', async () => {
    const file = new File(['name\n'], 'a.csv');
    Object.defineProperty(file, 'size', { value: 100 * 1024 * 1024 });
    expect(await readHead(file)).toMatch(/at most 64 MiB .*svcd import/);
  });
});

describe('the columns of a file', () => {
  test.each([
    [
      ['companyId', 'score', 'completedAt'],
      ['companyId', null, 'completedAt'],
    ],
    [
      ['Company', 'headline_score', 'COMPLETED AT'],
      ['companyId', 'headlineScore', 'completedAt'],
    ],
    [
      ['Company', 'companyId', ''],
      [null, 'companyId', null],
    ],
  ])('are guessed by their names: %j', (columns, map) => {
    expect(guessColumns(CONTRACT.audits, columns)).toEqual(map);
  });

  test('are a parameter only where they differ from the fields', () => {
    expect(columnsParameter(['id', 'name'], ['id', 'name'])).toBeUndefined();
    expect(columnsParameter(['id', 'Firma', 'x'], ['id', 'name', null])).toBe('{"Firma":"name","x":null}');
    expect(missingFields(CONTRACT.audits, ['companyId', null])).toEqual(['headlineScore', 'completedAt']);
  });
});
