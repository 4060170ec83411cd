import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { LISTS, type ListCase, pageOf, urlOf } from '../harness/lists.ts';
import { createWorld, type World } from '../harness/world.ts';

const RUNS = 150;
const BAD_REQUEST = 400;

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

const list = fc.constantFrom(...LISTS);
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.base64String({ maxLength: 400 }),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from([1, ...bytes]).toString('base64url')),
);

async function cursorOf({ path }: ListCase): Promise<string> {
  return pageOf(await world.get({ path }, { limit: 2 })).pagination.nextCursor ?? '';
}

describe('garbage from a client', () => {
  test('any text as a cursor is a 400, never a 500', async () => {
    await fc.assert(
      fc.asyncProperty(list, anyText, async (of, cursor) => {
        const answer = await world.get(of, { cursor: cursor.toWellFormed() });
        expectFailure(answer, 'invalid_cursor');
      }),
      { numRuns: RUNS },
    );
  });

  test('a cursor with any of its bytes changed, removed or doubled is a 400', async () => {
    await fc.assert(
      fc.asyncProperty(
        list,
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        fc.constantFrom('change', 'cut', 'double'),
        async (of, place, change, how) => {
          const bytes = [...Buffer.from(await cursorOf(of), 'base64url')];
          const at = place % bytes.length;
          const byte = bytes[at] ?? 0;
          bytes.splice(at, 1, ...(how === 'change' ? [byte ^ change] : how === 'cut' ? [] : [byte, byte]));
          const cursor = Buffer.from(bytes).toString('base64url');
          expectFailure(await world.get(of, { cursor }), 'invalid_cursor');
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('any value of any parameter is a page or a 400', async () => {
    const name = fc.constantFrom('limit', 'direction', 'sort', 'companyId', 'status', 'kind', 'cursor', 'x');
    await fc.assert(
      fc.asyncProperty(list, name, anyText, async (of, parameter, text) => {
        const answer = await world.get(of, { [parameter]: text.toWellFormed() });
        if (answer.status !== 200) expect(answer.status).toBe(BAD_REQUEST);
      }),
      { numRuns: RUNS },
    );
  });

  test('any raw query and any path below /v1 gets a response in the envelope, never a 500', async () => {
    const raw = fc.string({ unit: fc.constantFrom(...'ab019_-%&=?/;:.+[]~!$()*,@'), maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(
        list,
        fc.constantFrom('?', '/', '?limit=', '?cursor='),
        raw,
        async (of, before, rest) => {
          const answer = await world.service.request(world.token, `${of.path}${before}${rest}`);
          expect(answer.status).toBeLessThan(500);
          expect(() => answer.json()).not.toThrow();
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('any Authorization is a 401 or a 200', async () => {
    const header = fc.string({
      unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
      maxLength: 120,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('', 'Bearer ', 'Bearer svc_live_', 'Basic '),
        header,
        async (before, rest) => {
          const answer = await world.service.request(null, urlOf('/v1/audits'), {
            headers: { authorization: before + rest },
          });
          expectFailure(answer, 'invalid_key');
        },
      ),
      { numRuns: RUNS },
    );
  });
});
