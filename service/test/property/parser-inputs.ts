import fc from 'fast-check';
import { expect } from 'vitest';
import { HEADERS_MAX_BYTES } from '../../src/config/limits.ts';

const PROVED = process.env['PROVE_SECONDS'];
const SEED = Number(process.env['PROVE_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const PROPERTIES = 3;
const MS_PER_SECOND = 1_000;
/** More runs than fit in any time limit. */
const RUNS_MAX = 1_000_000_000;
export const parameters =
  PROVED === undefined
    ? { seed: SEED, numRuns: 200, interruptAfterTimeLimit: 10_000 }
    : {
        seed: SEED,
        numRuns: RUNS_MAX,
        interruptAfterTimeLimit: (Number(PROVED) * MS_PER_SECOND) / PROPERTIES,
      };
export const timeout = 60_000 + Number(PROVED ?? 0) * MS_PER_SECOND;
process.stdout.write(`parsers: seed ${SEED}\n`);

/** The most processor time for one input of at most INPUT_BYTES. Quadratic work takes seconds. */
const CPU_MAX_MS = 400;
/** The most that one input may raise the heap. The heap may still contain garbage of earlier inputs. */
const HEAP_GROWTH_MAX_BYTES = 128 * 1024 * 1024;
const INPUT_BYTES = HEADERS_MAX_BYTES;

export async function bounded<T>(work: () => T | Promise<T>): Promise<T> {
  const { heapUsed } = process.memoryUsage();
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / MS_PER_SECOND).toBeLessThan(CPU_MAX_MS);
  expect(process.memoryUsage().heapUsed - heapUsed).toBeLessThan(HEAP_GROWTH_MAX_BYTES);
  return result;
}

/** A few pieces, each repeated, cut to the length of an input. */
export const repeating = (pieces: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(pieces, fc.constantFrom(1, 2, 7, 100, 5_000)), { minLength: 1, maxLength: 6 })
    .map((parts) =>
      parts
        .map(([piece, times]) => piece.repeat(times))
        .join('')
        .slice(0, INPUT_BYTES),
    );

const FILE_PIECES = [
  '"',
  '""',
  ',',
  '\n',
  '\r',
  '\r\n',
  'a',
  'id,name\n',
  '","',
  '",\n',
  '{',
  '}',
  '[',
  ']',
  ':',
  '\\',
];
const JSON_PIECES = [
  '{"id":"a","name":"b"}\n',
  '{"a":',
  '[[',
  '[],',
  '"a":1,',
  '1e9',
  '\\u0000',
  '__proto__',
  'null',
];
const AWKWARD = ['\0', '\uFEFF', '\u2028', 'ü', '🚀', '\ud800', ' ', '\t'];
export const filePiece = fc.oneof(
  fc.constantFrom(...FILE_PIECES, ...JSON_PIECES, ...AWKWARD),
  fc.string({ unit: 'binary', maxLength: 4 }),
);

/** A file with some bytes that are not UTF-8. */
export const file = fc
  .tuple(
    fc.constantFrom('', 'id,name\n', '"id",name\r\n'),
    repeating(filePiece),
    fc.array(fc.nat(), { maxLength: 3 }),
  )
  .map(([header, text, places]) => {
    const bytes = Buffer.from(header + text);
    for (const place of places) bytes[place % bytes.length] = 0xff;
    return bytes;
  });
