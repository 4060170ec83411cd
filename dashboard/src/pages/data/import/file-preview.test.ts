import { CONTRACT } from '@svc/sdk/contract';
import { describe, expect, test } from 'vitest';
import { previewOf } from './file-preview.ts';

const HEAD_BYTES = 64 * 1024;
const preview = (name: string, text: string) => previewOf(new File([text], name), CONTRACT.companies);

describe('the preview of a CSV file', () => {
  test('has the columns and the first five records', async () => {
    const rows = Array.from({ length: 8 }, (_, i) => `com_${i},Number ${i}`);
    expect(await preview('a.csv', `id,name\n${rows.join('\n')}\n`)).toMatchObject({
      format: 'csv',
      columns: ['id', 'name'],
      rows: [0, 1, 2, 3, 4].map((i) => [`com_${i}`, `Number ${i}`]),
      missing: [],
      unknown: [],
    });
  });

  test.each([
    ['a quoted comma', 'name,domain\n"Acme, Ltd",a.example\n', ['Acme, Ltd', 'a.example']],
    ['a quoted line break', 'name,domain\n"Acme\nLtd",a.example\n', ['Acme\nLtd', 'a.example']],
    ['a doubled quote', 'name,domain\n"The ""A""",a.example\n', ['The "A"', 'a.example']],
    ['a quote inside a cell', 'name,domain\n5" disk,a.example\n', ['5" disk', 'a.example']],
    ['CRLF', 'name,domain\r\nAcme,a.example\r\n', ['Acme', 'a.example']],
    ['a byte order mark', '\uFEFFname,domain\nAcme,a.example\n', ['Acme', 'a.example']],
    ['no line break at the end', 'name,domain\nAcme,a.example', ['Acme', 'a.example']],
    ['an empty line', 'name,domain\n\nAcme,a.example\n', ['Acme', 'a.example']],
    ['an empty last cell', 'name,domain\nAcme,\n', ['Acme', '']],
  ])('reads %s', async (_, text, row) => {
    const { columns, rows } = await preview('a.csv', text);
    expect(columns).toEqual(['name', 'domain']);
    expect(rows).toEqual([row]);
  });

  test('names missing and unknown columns', async () => {
    expect(await preview('a.csv', 'title,domain,constructor\na,b,c\n')).toMatchObject({
      missing: ['name'],
      unknown: ['title', 'constructor'],
    });
  });

  test('of an empty file is empty', async () => {
    expect(await preview('a.csv', '')).toMatchObject({ format: 'csv', columns: [], rows: [] });
  });
});

describe('the preview of an NDJSON file', () => {
  test('has the fields of the first records as columns', async () => {
    const text = '{"name":"Acme","domain":null}\n\n{"id":"com_b","name":"Borealis","size":{"a":1}}\n';
    expect(await preview('a.ndjson', text)).toMatchObject({
      format: 'ndjson',
      columns: ['name', 'domain', 'id', 'size'],
      rows: [
        ['Acme', '', '', ''],
        ['Borealis', '', 'com_b', '{"a":1}'],
      ],
      missing: [],
      unknown: ['size'],
    });
  });

  test('says which line is not JSON', async () => {
    expect((await preview('a.ndjson', '{"name":"Acme"}\n{"name":\n')).rows).toEqual([
      ['Acme'],
      ['Not valid JSON'],
    ]);
  });

  test('leaves out the last line of the part that it reads, which may be incomplete', async () => {
    const long = `{"name":"${'x'.repeat(HEAD_BYTES)}"}`;
    expect((await preview('a.ndjson', `{"name":"Acme"}\n${long}\n`)).rows).toEqual([['Acme']]);
  });
});

test.each([
  ['a.csv', '{"name":1}\n', 'csv'],
  ['a.txt', '{"name":1}\n', 'ndjson'],
  ['a.txt', 'name\n', 'csv'],
])('%s that starts with %j is read as %s', async (name, text, format) => {
  expect((await preview(name, text)).format).toBe(format);
});
