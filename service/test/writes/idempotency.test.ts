import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { requestEntries } from '../harness/entries.ts';
import { createTestService, type TestAnswer, type TestService } from '../harness/service.ts';
import { newRecord, WRITES, writeCaseOf } from './cases.ts';
import { type Created, createWriteWorld, type SendOptions, type WriteWorld } from './world.ts';

const PAIRS = 100;

const audits = writeCaseOf('audits');
let world: WriteWorld;
let node: TestService;
beforeAll(async () => {
  world = await createWriteWorld();
  node = await createTestService({ database: world.service.database, clock: world.service.clock });
});

/** Sends a POST. Default body: a new record. */
function post(key: string, { url = audits.path, body = newRecord(audits), ...options }: Post = {}) {
  const headers = { ...options.headers, 'idempotency-key': key };
  return world.send('POST', url, body, { ...options, headers });
}
type Post = SendOptions & { readonly url?: string; readonly body?: unknown };

async function stored(): Promise<number> {
  const { rows } = await world.service.pool.query<{ records: number }>(
    'select count(*)::int as records from audits where workspace_id = $1',
    [world.workspaceId],
  );
  return rows[0]?.records ?? 0;
}

/** What the response to a repeat must have in common with the first response. */
const lasting = ({ status, text, headers }: TestAnswer): object => {
  const { 'request-id': _, date: __, 'idempotent-replayed': ___, ...same } = headers;
  return { status, text, same };
};

describe.each(
  WRITES.flatMap((of) => [
    { url: of.path, body: newRecord(of) },
    { url: `${of.path}/batch`, body: { data: [newRecord(of), newRecord(of)] } },
  ]),
)('a repeat of POST $url', ({ url, body }) => {
  test('gets the first response again, and nothing is created twice', async () => {
    const key = `repeat ${url}`.replaceAll(' ', '-');
    const first = await post(key, { url, body });
    expect(first.status).toBe(201);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    for (const _ of [1, 2]) {
      const again = await post(key, { url, body });
      expect(lasting(again)).toEqual(lasting(first));
      expect(again.headers['idempotent-replayed']).toBe('true');
    }
    const { rows } = await world.service.pool.query(
      `select doc::json->'status' as status, doc::json->'recordIds' as ids from audit_log
       where workspace_id = $1 and doc::json->>'path' = $2 order by created_at desc limit 3`,
      [world.workspaceId, url],
    );
    expect(rows.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(rows.map(({ ids }) => ids.length)).toEqual([0, 0, 'data' in body ? 2 : 1]);
  });
});

describe('an Idempotency-Key', () => {
  test('with another body, path or order of records is 422, and creates nothing', async () => {
    const body = { data: [newRecord(audits, { id: 'k1' }), newRecord(audits, { id: 'k2' })] };
    expect((await post('used', { url: '/v1/audits/batch', body })).status).toBe(201);
    const before = await stored();
    for (const other of [
      { url: '/v1/audits/batch', body: { data: body.data.toReversed() } },
      { url: '/v1/audits/batch', body: { data: [newRecord(audits)] } },
      { url: '/v1/audits', body: newRecord(audits) },
      { url: '/v1/companies', body: { name: 'x' } },
    ]) {
      expectFailure(await post('used', other), 'idempotency_mismatch', 'Use a new one');
    }
    expect(await stored()).toBe(before);
  });

  test('accepts the same body in another spelling as a repeat', async () => {
    const body = newRecord(audits);
    const first = await post('spelling', { body: JSON.stringify(body) });
    const again = await post('spelling', { body: JSON.stringify(body, null, 4) });
    expect(again.text).toBe(first.text);
  });

  test.each(['', 'a b', 'é', 'a\tb', 'x'.repeat(256), ' '])('that is not valid is 400: %j', async (key) => {
    const before = await stored();
    expectFailure(await post(key), 'invalid_parameter', 'Idempotency-Key', '1 to 255');
    expect(await stored()).toBe(before);
  });

  test.each(['a', 'x'.repeat(255), '!"#$%&()*+,-./:;<=>?@[]^_`{|}~', "it's", '\\0'])(
    'may be any visible ASCII: %j',
    async (key) => {
      expect((await post(key)).status).toBe(201);
      expect((await post(key)).headers['idempotent-replayed']).toBe('true');
    },
  );

  test('belongs to the workspace: all of its keys share it, and no other workspace', async () => {
    const token = await world.service.token(world.workspaceId, { access: 'write' });
    const first = await post('shared');
    expect((await post('shared', { token })).text).toBe(first.text);
    const other = await createWriteWorld(world.service);
    const elsewhere = await other.send('POST', audits.path, newRecord(audits), {
      headers: { 'idempotency-key': 'shared' },
    });
    expect(elsewhere.status).toBe(201);
    expect(elsewhere.headers).not.toHaveProperty('idempotent-replayed');
  });

  test('can be used again after a refused request, which stores nothing', async () => {
    const body = newRecord(audits, { companyId: 'later' });
    expectFailure(await post('refused', { body }), 'invalid_body');
    await world.send('POST', '/v1/companies', { id: 'later', name: 'Later' });
    const second = await post('refused', { body });
    expect({ status: second.status, again: second.headers['idempotent-replayed'] }).toEqual({
      status: 201,
      again: undefined,
    });
  });

  test('is stored for 24 hours, and is new afterwards', async () => {
    const { pool } = world.service;
    const first = await post('aged');
    const age = (interval: string) =>
      pool.query(
        `update idempotent_answers set created_at = now() - $1::interval where idempotency_key = 'aged'`,
        [interval],
      );
    await age('23 hours 59 minutes');
    expect((await post('aged')).text).toBe(first.text);
    await age('24 hours 1 second');
    const body = newRecord(audits, { headlineScore: 1 });
    const second = await post('aged', { body });
    expect(second.json<Created>().id).not.toBe(first.json<Created>().id);
    expect(second.headers).not.toHaveProperty('idempotent-replayed');
    expect((await post('aged', { body })).text).toBe(second.text);
  });

  test('whose first request still runs is 409 with Retry-After, and then gets its response', async () => {
    const { pool } = world.service;
    const holder = await pool.connect();
    try {
      await holder.query('begin');
      await holder.query(`select pg_advisory_xact_lock(hashtextextended($1 || ' running', 0))`, [
        world.workspaceId,
      ]);
      for (const _ of [1, 2]) {
        const answer = await post('running');
        expectFailure(answer, 'idempotency_in_progress', 'still running');
        expect(answer.headers['retry-after']).toBe('1');
      }
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    expect((await post('running')).status).toBe(201);
  });

  test('is ignored for a PATCH or a DELETE, which can be repeated anyway', async () => {
    const mentions = writeCaseOf('mentions');
    const { id } = await world.create(mentions);
    const headers = { 'idempotency-key': 'patch' };
    const url = `${mentions.path}/${id}`;
    for (const title of ['One', 'Two']) {
      const answer = await world.send('PATCH', url, { title }, { headers });
      expect(answer.json()).toMatchObject({ title });
    }
    expect((await world.send('DELETE', url, undefined, { headers })).status).toBe(204);
  });
});

describe('the same key at two nodes at the same time', () => {
  test(`creates exactly one record, ${PAIRS} times`, async () => {
    const before = await stored();
    const entries = (await requestEntries(world.service.pool, world.workspaceId)).length;
    for (let pair = 0; pair < PAIRS; pair++) {
      const options = {
        method: 'POST',
        payload: newRecord(audits),
        headers: { 'idempotency-key': `pair-${pair}` },
      } as const;
      const answers = await Promise.all(
        [world.service, node].map((service) => service.request(world.live, audits.path, options)),
      );
      const [first, again, running] = ['201', '201 true', '409'].map((wanted) =>
        answers.filter(({ status, headers }) => {
          const replayed = headers['idempotent-replayed'];
          return wanted === `${status}${replayed === undefined ? '' : ` ${replayed}`}`;
        }),
      );
      expect([first?.length, (again?.length ?? 0) + (running?.length ?? 0)]).toEqual([1, 1]);
      for (const answer of again ?? []) expect(answer.text).toBe(first?.[0]?.text);
      for (const answer of running ?? []) expectFailure(answer, 'idempotency_in_progress');
      const later = await node.request(world.live, audits.path, options);
      expect(later.text).toBe(first?.[0]?.text);
    }
    expect(await stored()).toBe(before + PAIRS);
    expect(await requestEntries(world.service.pool, world.workspaceId)).toHaveLength(entries + 3 * PAIRS);
  });

  test('from many clients at once creates one record, and all get its response in the end', async () => {
    const before = await stored();
    const body = newRecord(audits);
    const once = async (service: TestService): Promise<string> => {
      for (;;) {
        const options = { method: 'POST', payload: body, headers: { 'idempotency-key': 'herd' } } as const;
        const answer = await service.request(world.live, audits.path, options);
        if (answer.status === 201) return answer.text;
        expectFailure(answer, 'idempotency_in_progress');
      }
    };
    const texts = await Promise.all(
      Array.from({ length: 24 }, (_, i) => once(i % 2 === 0 ? world.service : node)),
    );
    expect(new Set(texts).size).toBe(1);
    expect(await stored()).toBe(before + 1);
  });
});
