import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { createTestService, type TestService } from '../harness/service.ts';
import { findingsOf } from '../harness/verify.ts';
import { CHANGEABLE, newRecord, WRITES, type WriteCase } from './cases.ts';
import { type Given, Model } from './model.ts';
import {
  batch,
  compare,
  create,
  createTogether,
  importRecords,
  patch,
  type Real,
  remove,
  type Way,
} from './operations.ts';
import { type Created, createWriteWorld } from './world.ts';

const RUNS = 6;
const COMMANDS_MAX = 60;
const TIMEOUT_MS = 120_000;

let service: TestService;
let other: TestService;
beforeAll(async () => {
  service = await createTestService();
  other = await createTestService({ database: service.database, clock: service.clock });
});

type Command = fc.AsyncCommand<Model, Real>;
const command = (name: string, run: (model: Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  run,
  toString: () => name,
});

/** Few ids, so that many are taken, named as companies, and used again after a removal. */
const id = fc.constantFrom('id_0', 'id_1', 'id_2', 'id_3', 'id_4');
const companyId = fc.constantFrom('com_one', 'com_two', 'id_0', 'id_1');
const node = fc.constantFrom(0 as const, 1 as const);
const way: fc.Arbitrary<Way> = fc.record({ node, dryRun: fc.nat({ max: 4 }).map((n) => n === 0) });
const word = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((text) => !text.includes('\0'));
const status = fc.constantFrom('draft', 'in_review', 'scheduled', 'published', 'archived');

/** Fields that vary; the others have the declaration's example. */
const varying = ({ resource, parent }: WriteCase): Record<string, fc.Arbitrary<string | number>> => ({
  ...(parent === undefined ? { name: word } : { companyId }),
  ...('title' in resource.fields ? { title: word } : {}),
  ...('headlineScore' in resource.fields ? { headlineScore: fc.integer({ min: 0, max: 100 }) } : {}),
  ...('status' in resource.fields ? { status } : {}),
});

const given = (of: WriteCase): fc.Arbitrary<Given> =>
  fc
    .tuple(fc.option(id, { freq: 2 }), fc.record(varying(of)))
    .map(([own, fields]) => ({ ...newRecord(of, fields), ...(own === null ? {} : { id: own }) }) as Given);

const anyOf = (cases: readonly WriteCase[]) => fc.constantFrom(...cases);

/** An id that there probably is: of the pool, or one that the service gave. */
const pick = (model: Model, of: WriteCase, place: number, own: string): string => {
  const ids = [...model.list(of).keys()];
  return place % 3 === 0 ? own : (ids[place % Math.max(ids.length, 1)] ?? own);
};

const COMMANDS: fc.Arbitrary<Command>[] = [
  fc
    .tuple(
      way,
      anyOf(WRITES).chain((of) => fc.tuple(fc.constant(of), given(of))),
    )
    .map(([how, [of, record]]) =>
      command(`create ${of.name} ${JSON.stringify([how, record])}`, (m, r) => create(m, r, how, of, record)),
    ),
  fc
    .tuple(
      way,
      anyOf(WRITES).chain((of) =>
        fc.tuple(fc.constant(of), fc.array(given(of), { minLength: 1, maxLength: 6 })),
      ),
    )
    .map(([how, [of, records]]) =>
      command(`batch ${of.name} ${JSON.stringify([how, records])}`, (m, r) => batch(m, r, how, of, records)),
    ),
  anyOf(WRITES)
    .chain((of) => fc.tuple(fc.constant(of), fc.array(given(of), { minLength: 1, maxLength: 8 })))
    .map(([of, records]) =>
      command(`import ${of.name} ${JSON.stringify(records)}`, (m, r) => importRecords(m, r, of, records)),
    ),
  fc
    .tuple(
      way,
      fc.nat(),
      id,
      anyOf(CHANGEABLE).chain((of) =>
        fc.tuple(fc.constant(of), fc.record(varying(of), { requiredKeys: [] })),
      ),
    )
    .map(([how, place, own, [of, change]]) =>
      command(`patch ${of.name} ${JSON.stringify([how, place, own, change])}`, (m, r) =>
        patch(m, r, how, of, pick(m, of, place, own), change),
      ),
    ),
  fc
    .tuple(way, fc.nat(), id, anyOf(CHANGEABLE))
    .map(([how, place, own, of]) =>
      command(`delete ${of.name} ${JSON.stringify([how, place, own])}`, (m, r) =>
        remove(m, r, how, of, pick(m, of, place, own)),
      ),
    ),
  anyOf(WRITES)
    .chain((of) => fc.tuple(fc.constant(of), fc.array(given(of), { minLength: 2, maxLength: 8 })))
    .map(([of, records]) =>
      command(`together ${of.name} ${JSON.stringify(records)}`, (m, r) => createTogether(m, r, of, records)),
    ),
  node.map((at) => command(`compare ${at}`, (m, r) => compare(m, r, at))),
];

test(
  'lists, counts and single records are what a model says, after any writes over two nodes, and verify finds nothing',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.commands(COMMANDS, { maxCommands: COMMANDS_MAX, size: 'max' }),
        async (commands) => {
          const world = await createWriteWorld(service);
          const real: Real = { world, nodes: [service, other] };
          const model = new Model();
          const companies = WRITES.filter(({ parent }) => parent === undefined);
          for (const of of companies) {
            for (const company of ['com_one', 'com_two'])
              model.list(of).set(company, (await world.get(`${of.path}/${company}`)).json<Created>());
          }
          await fc.asyncModelRun(() => ({ model, real }), commands);
          for (const at of [0, 1] as const) await compare(model, real, at);
        },
      ),
      { numRuns: RUNS },
    );
    expect(await findingsOf(service.pool)).toEqual([]);
  },
  TIMEOUT_MS,
);
