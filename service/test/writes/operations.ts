import { expect } from 'vitest';
import { inTransaction } from '../../src/database/pool.ts';
import { insertRecords } from '../../src/records/insert.ts';
import { type Envelope, urlOf, walk } from '../harness/lists.ts';
import type { TestAnswer, TestService } from '../harness/service.ts';
import { WRITES, type WriteCase } from './cases.ts';
import type { Given, Model } from './model.ts';
import type { Created, Method, WriteWorld } from './world.ts';

/** The service that the model is compared with: two nodes on one database. */
export interface Real {
  readonly world: WriteWorld;
  readonly nodes: readonly [TestService, TestService];
}

/** Where and how a write is sent. */
export interface Way {
  readonly node: 0 | 1;
  readonly dryRun: boolean;
}

async function send(
  { world, nodes }: Real,
  way: Way,
  method: Method,
  url: string,
  body?: object,
): Promise<TestAnswer> {
  const token = way.dryRun ? world.sandbox : world.live;
  const payload = body === undefined ? {} : { payload: body };
  return nodes[way.node].request(token, url, { method, ...payload });
}

/** Expects that a record shows the given values, in addition to those of the service. */
const expectShown = (record: Created, given: Given): void => {
  const shown = Object.entries(given).filter(
    ([name, value]) => value !== undefined && name !== 'publishedAt',
  );
  expect(record).toMatchObject(Object.fromEntries(shown));
};

export async function create(model: Model, real: Real, way: Way, of: WriteCase, given: Given): Promise<void> {
  const [fate] = model.fates(of, [given]);
  const answer = await send(real, way, 'POST', of.path, given);
  expect(answer.status).toBe({ made: 201, taken: 409, 'no company': 400 }[fate ?? 'made']);
  if (answer.status !== 201) return;
  expectShown(answer.json<Created>(), given);
  if (!way.dryRun) keep(model, of, [answer.json<Created>()]);
}

export async function batch(
  model: Model,
  real: Real,
  way: Way,
  of: WriteCase,
  given: readonly Given[],
): Promise<void> {
  const fates = model.fates(of, given);
  const answer = await send(real, way, 'POST', `${of.path}/batch`, { data: given });
  expect(answer.status).toBe(fates.includes('taken') ? 409 : fates.includes('no company') ? 400 : 201);
  if (answer.status !== 201) return;
  const { data } = answer.json<{ data: readonly Created[] }>();
  data.forEach((record, i) => {
    expectShown(record, given[i] ?? {});
  });
  if (!way.dryRun) keep(model, of, data);
}

/** Writes like `svcd import`: valid records are written, others are refused. */
export async function importRecords(
  model: Model,
  { world }: Real,
  of: WriteCase,
  given: readonly Given[],
): Promise<void> {
  const fates = model.fates(of, given);
  const at = (fate: string): readonly number[] =>
    fates.flatMap((each, index) => (each === fate ? [index] : []));
  const result = await inTransaction(world.service.pool, (client) =>
    insertRecords(client, world.workspaceId, of.resource, given),
  );
  expect(result).toMatchObject({
    existing: at('taken'),
    withoutCompany: at('no company'),
    notPast: new Map(),
  });
  expect(result.inserted.map(({ index }) => index)).toEqual(at('made'));
  keep(
    model,
    of,
    result.inserted.map(({ doc }) => JSON.parse(doc)),
  );
}

export async function patch(
  model: Model,
  real: Real,
  way: Way,
  of: WriteCase,
  id: string,
  change: Given,
): Promise<void> {
  const before = model.list(of).get(id);
  const answer = await send(real, way, 'PATCH', `${of.path}/${id}`, change);
  expect(answer.status).toBe(model.statusOfPatch(of, id, change));
  if (answer.status !== 200 || before === undefined) return;
  const after = answer.json<Created>();
  const { updatedAt: _, publishedAt: __, ...rest } = before;
  expectShown(after, { ...rest, ...change } as Given);
  if (!way.dryRun) model.list(of).set(id, after);
}

export async function remove(model: Model, real: Real, way: Way, of: WriteCase, id: string): Promise<void> {
  const answer = await send(real, way, 'DELETE', `${of.path}/${id}`);
  expect(answer.status).toBe(model.statusOfDelete(of, id));
  if (answer.status === 204 && !way.dryRun) model.list(of).delete(id);
}

/** Creates records at both nodes at the same time. The service decides which is first. */
export async function createTogether(
  model: Model,
  real: Real,
  of: WriteCase,
  given: readonly Given[],
): Promise<void> {
  const answers = await Promise.all(
    given.map((input, i) =>
      send(real, { node: i % 2 === 0 ? 0 : 1, dryRun: i % 5 === 4 }, 'POST', of.path, input),
    ),
  );
  const made = answers
    .filter(({ status, headers }) => status === 201 && headers['dry-run'] === undefined)
    .map((answer) => answer.json<Created>());
  const { rows } = await real.world.service.pool.query<{ id: string }>(
    `select id from ${of.resource.list.relation} where workspace_id = $1 and id = any ($2) order by created_at`,
    [real.world.workspaceId, made.map(({ id }) => id)],
  );
  expect(rows).toHaveLength(made.length);
  keep(
    model,
    of,
    rows.map(({ id }) => made.find((record) => record.id === id) ?? { id }),
  );
}

const keep = (model: Model, of: WriteCase, records: readonly Created[]): void => {
  for (const record of records) model.list(of).set(record.id, record);
};

/** Expects that lists in both orders, also per company, counts and the newest single record equal the model. */
export async function compare(model: Model, { world, nodes }: Real, node: 0 | 1): Promise<void> {
  for (const of of WRITES) {
    const expected = [...model.list(of).values()];
    const read = async (params: Readonly<Record<string, string>>): Promise<readonly unknown[]> => {
      const get = (more: object) =>
        nodes[node].request(world.reader, urlOf(of.path, { limit: 7, ...params, ...more }));
      return (await walk(get, params)).flatMap((page: Envelope) => page.data);
    };
    expect(await read({})).toEqual(expected.toReversed());
    if (of.resource.list.sortable) expect(await read({ sort: 'created-ascending' })).toEqual(expected);
    if (of.parent !== undefined) {
      const companyId = String(expected[0]?.['companyId'] ?? 'id_0');
      const own = expected.filter((record) => record['companyId'] === companyId);
      expect(await read({ companyId })).toEqual(own.toReversed());
    }
    const newest = expected.at(-1);
    if (newest !== undefined) {
      const single = await nodes[node].request(world.reader, `${of.path}/${newest.id}`);
      expect(single.json()).toEqual(newest);
    }
  }
  const audits = model.list({ name: 'audits' }).size;
  for (const approximate of [true, false]) {
    const answer = await nodes[node].request(world.reader, `/v1/audits/count?approximate=${approximate}`);
    expect(answer.json()).toEqual({ count: audits, approximate });
  }
}
