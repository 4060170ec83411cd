import { BATCH_BODY_MAX_BYTES, BATCH_MAX_RECORDS } from '@svc/sdk/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { COMPANY, OTHER_COMPANY } from '../harness/lists.ts';
import { BELONGING, type Body, newRecord, WRITES, type WriteCase, writeCaseOf } from './cases.ts';
import { type Created, createWriteWorld, type WriteWorld } from './world.ts';

let world: WriteWorld;
beforeAll(async () => {
  world = await createWriteWorld();
});

const post = (of: WriteCase, body: unknown, options = {}) =>
  world.send('POST', `${of.path}/batch`, body, options);
const batch = (of: WriteCase, records: number, over: (index: number) => Body = () => ({})) => ({
  data: Array.from({ length: records }, (_, index) => newRecord(of, over(index))),
});
const ids = (created: readonly Created[]): readonly string[] => created.map(({ id }) => id);

/** All ids of the list, oldest first. */
async function stored({ resource }: WriteCase): Promise<readonly string[]> {
  const { rows } = await world.service.pool.query<{ id: string }>(
    `select id from ${resource.list.relation} where workspace_id = $1 order by created_at, id`,
    [world.workspaceId],
  );
  return rows.map(({ id }) => id);
}

describe.each(WRITES)('POST $path/batch', (of) => {
  test.each([1, 2, 100, BATCH_MAX_RECORDS])(
    'creates %i records, in the order of the body',
    async (records) => {
      const before = await stored(of);
      const answer = await post(of, batch(of, records));
      expect(answer.status).toBe(201);
      const { data } = answer.json<{ data: readonly Created[] }>();
      expect(data).toHaveLength(records);
      expect(await stored(of)).toEqual([...before, ...ids(data)]);
      const last = data.at(-1);
      expect((await world.get(`${of.path}/${last?.id}`)).json()).toEqual(last);
      for (const name of ['etag', 'location']) expect(answer.headers).not.toHaveProperty(name);
    },
  );

  test('creates none if one is refused, and names its index', async () => {
    const before = await stored(of);
    const [field] = of.fields.filter(({ required }) => required);
    if (field === undefined) throw new Error('every field may be left out');
    for (const [index, records] of [
      [0, 1],
      [3, 5],
      [999, 1000],
    ] as const) {
      const body = batch(of, records, (i) => (i === index ? { [field.name]: field.bad[0] } : {}));
      expectFailure(await post(of, body), 'invalid_body', `/data/${index}/${field.name} must be`);
    }
    expect(await stored(of)).toEqual(before);
  });

  test('names twenty failures and the number of further ones', async () => {
    const answer = await post(
      of,
      batch(of, 25, () => ({ extra: 1 })),
    );
    expectFailure(answer, 'invalid_body', '/data/0/extra ', '/data/19/extra ', 'And more');
    expect(answer.text).not.toContain('/data/20');
  });

  test('creates none if an id is taken by a record, or by an earlier one of the same batch', async () => {
    const { id } = await world.create(of);
    const before = await stored(of);
    const taken = batch(of, 5, (i) => (i === 3 ? { id } : {}));
    expectFailure(await post(of, taken), 'conflict', '/data/3/id is taken', id);
    const twice = batch(of, 5, (i) => (i === 1 || i === 4 ? { id: 'twice' } : {}));
    expectFailure(await post(of, twice), 'conflict', '/data/4/id is taken: /data/1 has the same id');
    expect(await stored(of)).toEqual(before);
  });

  test.each([
    {},
    [],
    null,
    'text',
    5,
    { data: [] },
    { data: {} },
    { data: null },
    { data: 'x' },
    { data: { length: 1 } },
    { items: [] },
    [{ data: [] }],
  ])('accepts only {"data": […]}: %j', async (body) => {
    expectFailure(
      await post(of, JSON.stringify(body)),
      'invalid_body',
      '/data must be an array of 1 to 1000',
    );
  });

  test('refuses more than 1,000 records', async () => {
    expectFailure(await post(of, batch(of, BATCH_MAX_RECORDS + 1)), 'invalid_body', '/data must be', '1000');
  });

  test('refuses other keys in the body, by their JSON pointer', async () => {
    for (const [key, pointer] of [
      ['atomic', '/atomic'],
      ['a~b/c', '/a~0b~1c'],
      ['toString', '/toString'],
    ] as const) {
      expectFailure(await post(of, { ...batch(of, 1), [key]: true }), 'invalid_body', `${pointer} is not`);
    }
  });

  test.each([[null], ['x'], [5], [[]], [[{}]]])('refuses %j as a record', async (record) => {
    const body = { data: [newRecord(of), record] };
    expectFailure(await post(of, body), 'invalid_body', '/data/1 must be a JSON object');
  });
});

describe.each(BELONGING)('POST $path/batch', (of) => {
  test('names every record whose company does not exist, and creates none', async () => {
    const before = await stored(of);
    const body = batch(of, 4, (i) => ({ companyId: i % 2 === 0 ? COMPANY : `no_${i}` }));
    const answer = await post(of, body);
    expectFailure(answer, 'invalid_body', '/data/1/companyId names a company', 'no_1', '/data/3/', 'no_3');
    expect(await stored(of)).toEqual(before);
  });

  test('adds to the counts of each company and of the workspace', async () => {
    const counts = async () => {
      const { rows } = await world.service.pool.query<{ company: string; records: number }>(
        `select company_id as company, records from record_counts where workspace_id = $1 and resource = $2`,
        [world.workspaceId, of.name],
      );
      return Object.fromEntries(rows.map(({ company, records }) => [company, records]));
    };
    await post(
      of,
      batch(of, 1, () => ({ companyId: OTHER_COMPANY })),
    );
    const before = await counts();
    await post(
      of,
      batch(of, 7, (i) => ({ companyId: i < 5 ? COMPANY : OTHER_COMPANY })),
    );
    expect(await counts()).toEqual({
      '': (before[''] ?? 0) + 7,
      [COMPANY]: (before[COMPANY] ?? 0) + 5,
      [OTHER_COMPANY]: (before[OTHER_COMPANY] ?? 0) + 2,
    });
  });
});

describe('a body that is too large', () => {
  const mentions = writeCaseOf('mentions');
  /** A batch with exactly this number of bytes. */
  const padded = (bytes: number): string => {
    const text = JSON.stringify(batch(mentions, 1));
    return text + ' '.repeat(bytes - Buffer.byteLength(text));
  };

  test('is 413 above 8 MiB for a batch, and accepted below', async () => {
    expect((await post(mentions, padded(BATCH_BODY_MAX_BYTES))).status).toBe(201);
    expectFailure(await post(mentions, padded(BATCH_BODY_MAX_BYTES + 1)), 'payload_too_large');
  });

  test('is 413 above 1 MiB for a single record or a change', async () => {
    const { id } = await world.create(mentions);
    const [mebibyte, record] = [1024 * 1024, JSON.stringify(newRecord(mentions))];
    const single = record + ' '.repeat(mebibyte - Buffer.byteLength(record));
    expect((await world.send('POST', mentions.path, single)).status).toBe(201);
    expectFailure(await world.send('POST', mentions.path, `${single} `), 'payload_too_large');
    const change = `{}${' '.repeat(mebibyte)}`;
    expectFailure(await world.send('PATCH', `${mentions.path}/${id}`, change), 'payload_too_large');
  });
});
