import { csvLine, withoutFormula } from '@svc/sdk/csv';
import { expect, test } from 'vitest';

test.each([
  ['=A1', "'=A1"],
  ['-1', "'-1"],
  ['\t=A1', "'\t'=A1"],
  ['＝A1', "'＝A1"],
  ['x;=A1;y', "x;'=A1;y"],
  ['x;  @A1', "x;'  @A1"],
  ['x;"=A1;', `x;'"=A1;`],
  ['x\t+A1', "x\t'+A1"],
  ['x\r\n-A1', "x\r\n'-A1"],
  ['=A1;=A2', "'=A1;'=A2"],
])('a formula is text for a spreadsheet with any separator: %j', (text, safe) => {
  expect(withoutFormula(text)).toBe(safe);
});

test.each([
  'a = b',
  'a,=b',
  'Mozilla/5.0 (X11; Linux x86_64)',
  'a;b',
  'one\ntwo',
  'ada@example.com',
  ' -',
  '',
])('other text stays as it is: %j', (text) => expect(withoutFormula(text)).toBe(text));

/** The cells of a line as a spreadsheet with this separator reads them. */
const cellsOf = (line: string, separator: string): readonly string[] =>
  [
    ...line.matchAll(new RegExp(`(?:"((?:[^"]|"")*)")?([^${separator}\r\n]*)(?:[${separator}\r\n]|$)`, 'g')),
  ].map(([, quoted = '', rest = '']) => quoted.replaceAll('""', '"') + rest);

test.each([',', ';', '\t'])('no cell of a line begins with a formula for the separator %j', (separator) => {
  const texts = ['=A1', 'x;=A1;y', 'x,y;"=A1;', 'x\t"" =A1', 'x"\n=A1', 'x;\t=A1', ';', '=A1'];
  const line = csvLine(texts.map(withoutFormula));
  const cells = cellsOf(line, separator);
  expect(cells.length).toBeGreaterThan(1);
  expect(cells.filter((cell) => /^[\s"]*[=+\-@]/.test(cell))).toEqual([]);
});
