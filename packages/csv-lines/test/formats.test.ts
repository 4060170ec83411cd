import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Cell, csvReader, type Line, readItems, readLines, utf8Of } from '../src/index.ts';

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function linesOf(
  input: AsyncIterable<Uint8Array>,
  read: typeof readLines = readLines,
): Promise<readonly Line[]> {
  const lines: Line[] = [];
  for await (const some of read(input)) lines.push(...some);
  return lines;
}

const utf16 = (text: string, order: 'little' | 'big'): Buffer => {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
  return order === 'little' ? bytes : bytes.swap16();
};

describe('a file in UTF-16', () => {
  test('has the same lines as in UTF-8, in both byte orders and with chunks of any size', async () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'ü', '🚀', '\r', ';', '\u{10FFFF}') });
    await fc.assert(
      fc.asyncProperty(
        fc.array(line),
        fc.constantFrom('little' as const, 'big' as const),
        fc.integer({ min: 1, max: 7 }),
        async (texts, order, size) => {
          const text = texts.join('\n');
          const expected = await linesOf(chunksOf(Buffer.from(text), 1000));
          expect(await linesOf(utf8Of(chunksOf(utf16(text, order), size)))).toEqual(expected);
        },
      ),
    );
  });

  test.each(['little', 'big'] as const)(
    'is refused only in lines with half a character (%s)',
    async (order) => {
      const text = 'good\nhalf \uD83D\n\uDE80 half\nalso 🚀 good\nend \uD83D';
      const lines = await linesOf(utf8Of(chunksOf(utf16(text, order), 3)));
      expect(lines.map(({ flaw }) => flaw === null)).toEqual([true, false, false, true, false]);
      expect(lines[3]?.text).toBe('also 🚀 good');
    },
  );

  test('with an odd number of bytes has a last line that is refused', async () => {
    const bytes = Buffer.concat([utf16('a\nb', 'little'), Buffer.from([0x41])]);
    expect((await linesOf(utf8Of(chunksOf(bytes, 4)))).map(({ flaw }) => flaw === null)).toEqual([
      true,
      false,
    ]);
  });

  test('is recognized only by its mark: other bytes are passed on, whatever they are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 2 }),
        fc.integer({ min: 1, max: 5 }),
        async (bytes, size) => {
          fc.pre(bytes[0] !== 0xff && bytes[0] !== 0xfe);
          const read: Uint8Array[] = [];
          for await (const chunk of utf8Of(chunksOf(bytes, size))) read.push(chunk);
          expect(Buffer.concat(read).equals(bytes)).toBe(true);
        },
      ),
    );
  });

  test('of one byte, and an empty one, are passed on', async () => {
    expect(await linesOf(utf8Of(chunksOf(Buffer.from('a'), 1)))).toMatchObject([{ text: 'a', flaw: null }]);
    expect(await linesOf(utf8Of(chunksOf(Buffer.alloc(0), 1)))).toEqual([]);
  });
});

describe('a JSON array', () => {
  const read = (text: string, size: number): Promise<readonly Line[]> =>
    linesOf(chunksOf(Buffer.from(text), size), readItems);
  /** Items, or why a line is no item. */
  const itemsOf = async (text: string, size = 5): Promise<readonly unknown[]> =>
    (await read(text, size))
      .filter((line) => line.flaw !== null || line.text.trim() !== '')
      .map(({ number, text: item, flaw }) => [number, flaw ?? JSON.parse(item)]);

  test('has one line per item, with any values, formatting and chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue()),
        fc.constantFrom(undefined, 2, '\t'),
        fc.integer({ min: 1, max: 9 }),
        async (items, space, size) => {
          // -0 is 0 in JSON.
          const expected = JSON.parse(JSON.stringify(items)) as readonly unknown[];
          expect(await itemsOf(`\uFEFF \n${JSON.stringify(items, null, space)}\n`, size)).toEqual(
            expected.map((item, i) => [i + 1, item]),
          );
        },
      ),
    );
  });

  const [a, b] = [{ a: 1 }, { b: [2] }];
  const NOT_CLOSED = 'is broken JSON: the array is not closed';
  const EMPTY = 'is broken JSON: an item of the array is empty';
  const AFTER = 'is broken JSON: text after the end of the array';
  test.each([
    ['[', NOT_CLOSED],
    ['[{"a":1},{"b":[2]}', a, b, NOT_CLOSED],
    ['[{"a":1},{"b":[2]},', a, b, NOT_CLOSED],
    ['[{"a":1},{"b":[2]}\n', a, b, NOT_CLOSED],
    ['[{"a":1},,,{"b":[2]}]', a, EMPTY, EMPTY, b],
    ['[ , {"a":1} ,\n]', EMPTY, a, EMPTY],
    ['[{"a":1}]\n{"b":[2]}\n\n[3]\n', a, AFTER, AFTER],
    ['[{"a":1}]]', a, AFTER],
    ['[{"a":1}]\n \t\r\n', a],
    ['[ \n ]\n'],
  ])('that is not well-formed has a line with the reason for each fault: %j', async (text, ...found) => {
    for (let size = 1; size <= text.length; size++) {
      expect((await itemsOf(text, size)).map((item) => (item as readonly unknown[])[1])).toEqual(found);
    }
  });

  test.each(['[{"a":1},{"b":', '[{"a":1}}{"a":1}', '[{"a":1},{"b":[2}]', '[{"a":"', '[{"a":1},}'])(
    'that is cut off or has a wrong bracket has a line that is not JSON, and is not closed: %s',
    async (text) => {
      await expect(itemsOf(text)).rejects.toThrow(SyntaxError);
      expect((await read(text, 2)).at(-1)?.flaw).toBe(NOT_CLOSED);
    },
  );

  test('that is cut off anywhere is not complete, whatever its items are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue()),
        fc.nat(),
        fc.integer({ min: 1, max: 9 }),
        async (items, at, size) => {
          const whole = JSON.stringify(items);
          const lines = await read(whole.slice(0, 1 + (at % (whole.length - 1))), size);
          expect(lines.filter(({ flaw }) => flaw !== null).map(({ flaw }) => flaw)).toEqual([NOT_CLOSED]);
          expect(lines.map(({ number }) => number)).toEqual(lines.map((_, i) => i + 1));
        },
      ),
    );
  });

  test('in one line of 3 MiB has items within the limit of a line', async () => {
    const item = `{"name":"${'x'.repeat(1000)}"}`;
    const text = `[${Array.from({ length: 3_000 }, () => item).join(',')}]`;
    const lines = await read(text, 64 * 1024);
    expect(lines.filter(({ flaw, text: one }) => flaw === null && one.includes('name'))).toHaveLength(3_000);
  });

  test('is recognized only at the start: other files are passed on', async () => {
    expect(await read('{"a":[1,2]}\n[3]\n', 3)).toMatchObject([{ text: '{"a":[1,2]}' }, { text: '[3]' }]);
  });
});

describe('the separator of CSV', () => {
  const cellsOf = (text: string): readonly (readonly Cell[])[] => {
    const reader = csvReader();
    const lines = text.split('\n').map((line, i) => ({ number: i + 1, text: line, flaw: null }));
    return [...reader.read(lines), ...reader.end()].map(({ cells }) => cells);
  };

  test.each([
    [
      'semicolons',
      'name;domain\n"A;""B""";1,5\n',
      [
        ['name', 'domain'],
        ['A;"B"', '1,5'],
      ],
    ],
    [
      'tabs',
      'name\tdomain\nA, B;C\t\n',
      [
        ['name', 'domain'],
        ['A, B;C', null],
      ],
    ],
    [
      'commas',
      'name,domain\nA;B,\n',
      [
        ['name', 'domain'],
        ['A;B', null],
      ],
    ],
    [
      'commas in quotes of the header',
      '"a,b,c";d\n1;2\n',
      [
        ['a,b,c', 'd'],
        ['1', '2'],
      ],
    ],
    ['a single column', 'name\nA\n', [['name'], ['A']]],
  ])('is decided by the first line: %s', (_, text, rows) => {
    expect(cellsOf(text)).toEqual(rows);
  });
});
