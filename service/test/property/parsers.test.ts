import { LINE_MAX_BYTES } from '@svc/csv-lines';
import { createCursorCodec } from '@svc/deployment-secrets/cursors';
import { encodingOf } from '@svc/http-content/encoding';
import { matchesEtag } from '@svc/http-content/etag';
import { jsonExcess } from '@svc/http-content/json-excess';
import { networkOf } from '@svc/ip-addresses';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseBearer } from '../../src/api/authentication.ts';
import { idempotencyKey } from '../../src/api/idempotency.ts';
import {
  type Batch,
  createPace,
  FORMATS,
  type Format,
  readBatches,
  TURN_CHARACTERS,
} from '../../src/bulk/batches.ts';
import { BulkError } from '../../src/bulk/target.ts';
import { BODY_VALUES_MAX, JSON_DEPTH_MAX } from '../../src/config/limits.ts';
import { parseCookies } from '../../src/dashboard/requests/cookies.ts';
import { ApiError } from '../../src/http/errors.ts';
import { jsonText } from '../../src/http/json-body.ts';
import { canonicalTarget, containsEncodedToken, isHost, requestId } from '../../src/http/request.ts';
import { parseListQuery } from '../../src/list/query.ts';
import { RECORD_FAILURES_MAX } from '../../src/records/validate.ts';
import { companies } from '../../src/resources/index.ts';
import { bounded, file, filePiece, parameters, repeating, timeout } from './parser-inputs.ts';

// Every parser of input, with inputs that repeat what is special to it: bounded work, bounded memory, no other failure
// than a refusal. `npm run prove -- parsers --seconds N --seed N` runs them for longer.

/** The result of reading: batches, or why the file does not fit the resource. */
async function read(bytes: Buffer, format: Format, chunkBytes: number): Promise<readonly Batch[] | string> {
  const turns = [0];
  const pace = createPace(async () => void turns.push(0));
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
  const batches: Batch[] = [];
  try {
    const counting = {
      ...pace,
      spend: (characters: number) => {
        turns.push((turns.pop() ?? 0) + characters);
        return pace.spend(characters);
      },
    };
    for await (const batch of readBatches(chunks(), companies, format, { pace: counting }))
      batches.push(batch);
  } catch (error) {
    if (!(error instanceof BulkError)) throw error;
    return error.message;
  }
  expect(Math.max(...turns)).toBeLessThan(TURN_CHARACTERS + 2 * LINE_MAX_BYTES);
  return batches;
}

describe('any input', { timeout }, () => {
  test('as a file is read in bounded work, with each record once, in order, with chunks of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        file,
        fc.constantFrom(...FORMATS),
        fc.integer({ min: 1, max: 70 }),
        async (bytes, format, cut) => {
          const whole = await bounded(() => read(bytes, format, bytes.length + 1));
          const inParts = await bounded(() => read(bytes, format, cut));
          if (typeof whole === 'string' || typeof inParts === 'string') {
            expect(inParts).toBe(whole);
            return;
          }
          const entries = (batches: readonly Batch[]) =>
            batches.flatMap(({ records, refused }) =>
              [...records, ...refused].sort((a, b) => a.line - b.line),
            );
          const found = entries(whole);
          expect(entries(inParts)).toEqual(found);
          const lines = found.map(({ line }) => line);
          expect(lines).toEqual([...new Set(lines)].sort((a, b) => a - b));
          // Lines, or the items of a JSON array and what follows it.
          const ends = bytes.filter((byte) => byte === 10 || byte === 0x2c).length;
          expect(found.length).toBeLessThanOrEqual(ends + 2);
          for (const { refused } of whole) {
            for (const { failures } of refused) {
              expect(failures.length).toBeGreaterThan(0);
              expect(failures.length).toBeLessThanOrEqual(RECORD_FAILURES_MAX);
            }
          }
        },
      ),
      parameters,
    );
  });

  test('as the JSON of a body is refused, or parsed into a shallow value', async () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          repeating(filePiece),
          fc
            .tuple(fc.constantFrom('[', '{"a":', '[1,['), fc.nat(60), fc.jsonValue())
            .map(
              ([open, times, value]) =>
                open.repeat(times) +
                JSON.stringify(value) +
                open.replaceAll(/[^[{]/g, '').repeat(times).replaceAll('[', ']').replaceAll('{', '}'),
            ),
        ),
        async (text) => {
          const excess = await bounded(() =>
            jsonExcess(text, { values: BODY_VALUES_MAX, depth: JSON_DEPTH_MAX }),
          );
          if (excess !== undefined) return;
          let value: unknown;
          try {
            value = JSON.parse(text);
          } catch (error) {
            expect(error).toBeInstanceOf(SyntaxError);
            return;
          }
          expect(depthOf(value)).toBeLessThanOrEqual(JSON_DEPTH_MAX);
        },
      ),
      parameters,
    );
  });

  const cursors = createCursorCodec([
    'a secret of the tests, 32 characters or more',
    'another one, of as many characters',
  ]);
  const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
    Authorization: parseBearer,
    Cookie: parseCookies,
    Host: isHost,
    'Accept-Encoding': encodingOf,
    'X-Forwarded-For': networkOf,
    'a request target': canonicalTarget,
    'If-None-Match': (text) => matchesEtag(text, 'W/"a"'),
    'Request-Id': (text) => requestId({ headers: { 'request-id': text } }),
    'Idempotency-Key': idempotencyKey,
    'Content-Type': (text) => jsonText(text, Buffer.from('{}')),
    'a token in a URL': containsEncodedToken,
    cursor: (text) => cursors.decode(text, 'binding', 'wks', 0),
    'each parameter': (text) =>
      ['limit', 'direction', 'sort', 'cursor', text].map((name) =>
        parseListQuery(companies.list, { [name]: text }),
      ),
    'many parameters': (text) =>
      parseListQuery(companies.list, Object.fromEntries(new URLSearchParams(text))),
  };
  const headerPiece = fc.oneof(
    fc.constantFrom(
      'Bearer ',
      'svc_live_',
      '%',
      '%25',
      '%73vc_',
      ' ',
      '\t',
      ',',
      '"',
      'W/',
      '*',
      ';',
      'charset',
      '=',
    ),
    fc.constantFrom('&', 'a=b&', 'limit=', '-', '_', '.', ':', '/', 'Ab', '::1,', '1.2.3.4, '),
    fc.string({ unit: 'binary', maxLength: 3 }),
  );

  test('as a header, a cursor or a parameter is refused or accepted in bounded work', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(PARSERS)),
        repeating(headerPiece),
        async (name, text) => {
          await bounded(() => {
            try {
              PARSERS[name]?.(text);
            } catch (error) {
              if (!(error instanceof ApiError)) throw error;
            }
          });
        },
      ),
      { ...parameters, numRuns: parameters.numRuns * 5 },
    );
  });
});
