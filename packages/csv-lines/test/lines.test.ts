import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LINE_MAX_BYTES, LINES_AT_ONCE, type Line, readLines } from '../src/index.ts';

async function read(chunks: readonly Uint8Array[]): Promise<readonly Line[]> {
  async function* input(): AsyncGenerator<Uint8Array> {
    yield* chunks;
  }
  const lines: Line[] = [];
  for await (const some of readLines(input())) lines.push(...some);
  return lines;
}

const cut = (bytes: Buffer, size: number): readonly Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));

test('lines are the same with chunks of any size', async () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'ü', '🚀', '\r', '\uFEFF', ' ') });
  await fc.assert(
    fc.asyncProperty(
      fc.array(line),
      fc.boolean(),
      fc.integer({ min: 1, max: 7 }),
      async (texts, closed, size) => {
        fc.pre(!texts[0]?.startsWith('\uFEFF'));
        const text = texts.join('\n') + (closed ? '\n' : '');
        const expected = text.split('\n');
        if (expected.at(-1) === '') expected.pop();
        const lines = await read(cut(Buffer.from(text), size));
        expect(lines).toEqual(expected.map((one, i) => ({ number: i + 1, text: one, flaw: null })));
      },
    ),
  );
});

test('a byte order mark at the start is skipped', async () => {
  expect(await read([Buffer.from('\uFEFFa\n\uFEFFb')])).toMatchObject([{ text: 'a' }, { text: '\uFEFFb' }]);
});

test('only a line that is not UTF-8 has a flaw', async () => {
  const bytes = Buffer.concat([
    Buffer.from('ä\n'),
    Buffer.from([0xe4, 0x0a]),
    Buffer.from('ö\n'),
    Buffer.from([0xed, 0xa0, 0x80]),
  ]);
  for (const size of [1, 100]) {
    expect(await read(cut(bytes, size))).toMatchObject([
      { number: 1, text: 'ä', flaw: null },
      { number: 2, flaw: 'is not UTF-8' },
      { number: 3, text: 'ö', flaw: null },
      { number: 4, flaw: 'is not UTF-8' },
    ]);
  }
});

test.each([64 * 1024, 3 * LINE_MAX_BYTES])(
  'a line that is too long has a flaw and is not kept; the longest valid line is complete (chunks of %i bytes)',
  async (size) => {
    const longest = 'x'.repeat(LINE_MAX_BYTES);
    const wide = 'ü'.repeat(LINE_MAX_BYTES / 2 + 1);
    const bytes = Buffer.from(`a\n${longest}\nb\n${longest}y${longest}\n${wide}\nc`);
    const lines = await read(cut(bytes, size));
    expect(lines.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(lines.map(({ flaw }) => flaw)).toEqual([
      null,
      null,
      null,
      'is longer than 1 MiB',
      'is longer than 1 MiB',
      null,
    ]);
    expect(lines[1]?.text).toBe(longest);
    expect(lines[3]?.text).toBe('x'.repeat(200));
    expect([lines[2]?.text, lines[5]?.text]).toEqual(['b', 'c']);
  },
);

test('the lines of one large chunk are yielded in bounded groups', async () => {
  async function* input(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('\n'.repeat(2 * LINES_AT_ONCE + 1));
  }
  const counts: number[] = [];
  for await (const lines of readLines(input())) counts.push(lines.length);
  expect(counts).toEqual([LINES_AT_ONCE, LINES_AT_ONCE, 1]);
});
