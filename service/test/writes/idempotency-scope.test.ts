import { expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { COMPANY, OTHER_COMPANY } from '../harness/lists.ts';
import { type Body, newRecord, WRITES, type WriteCase, writeCaseOf } from './cases.ts';
import { type Created, createWriteWorld } from './world.ts';

const world = await createWriteWorld();
const { pool } = world.service;
const audits = writeCaseOf('audits');
const limitedTo = (companyId: string): Promise<string> =>
  world.service.token(world.workspaceId, { access: 'write', companyId });
const [ofOne, ofOther, ofOneToo] = await Promise.all([COMPANY, OTHER_COMPANY, COMPANY].map(limitedTo));

const post = (token: string | undefined, key: string, body: Body, url = audits.path) =>
  world.send('POST', url, body, {
    ...(token === undefined ? {} : { token }),
    headers: { 'idempotency-key': key },
  });
const auditOf = (companyId: string): Body => newRecord(audits, { companyId });

test('the keys of a company share the names of their requests only with each other', async () => {
  const first = await post(ofOne, 'nightly', auditOf(COMPANY));
  expect((await post(ofOneToo, 'nightly', auditOf(COMPANY))).text).toBe(first.text);
  for (const [token, companyId] of [
    [ofOther, OTHER_COMPANY],
    [world.live, COMPANY],
  ] as const) {
    const own = await post(token, 'nightly', auditOf(companyId));
    expect(own.status).toBe(201);
    expect(own.headers).not.toHaveProperty('idempotent-replayed');
    expect(own.text).not.toBe(first.text);
    expect((await post(token, 'nightly', auditOf(companyId))).text).toBe(own.text);
  }
  expectFailure(
    await post(ofOneToo, 'nightly', newRecord(audits, { headlineScore: 1 })),
    'idempotency_mismatch',
  );
});

test('a request stored before names were separate is still repeated by its key, and mismatches no other request', async () => {
  const first = await post(world.live, 'older', auditOf(COMPANY));
  await pool.query(`update idempotent_answers set before_scopes = true where idempotency_key = 'older'`);
  const again = await post(ofOne, 'older', auditOf(COMPANY));
  expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
  const other = await post(ofOther, 'older', auditOf(OTHER_COMPANY));
  expect([other.status, other.headers['idempotent-replayed']]).toEqual([201, undefined]);
});

/** Records in every state and with every field, some with given ids. */
const batchOf = (of: WriteCase, records: number): readonly Body[] => {
  const variants = of.fields.flatMap(({ name, good }) => good.map((value) => ({ [name]: value })));
  return Array.from({ length: records }, (_, i) => ({
    ...newRecord(of, variants[i % variants.length]),
    ...(i % 3 === 0 ? { id: `${of.name}_own_${i}` } : {}),
  }));
};

test.each(WRITES)(
  'a repeated batch on $path gets the first response, also if its records have changed',
  async (of) => {
    const url = `${of.path}/batch`;
    const body = { data: batchOf(of, 60) };
    const key = `batch-${of.name}`;
    const first = await post(world.live, key, body, url);
    expect(first.status, first.text).toBe(201);
    const { data } = first.json<{ data: readonly Created[] }>();
    const [changed, removed] = data;
    if (!of.resource.immutable) {
      const patch = of.name === 'companies' ? { name: 'changed' } : { title: 'changed' };
      expect((await world.send('PATCH', `${of.path}/${changed?.id}`, patch)).status).toBe(200);
      expect((await world.send('DELETE', `${of.path}/${removed?.id}`)).status).toBe(204);
    }
    world.service.clock.now += 3_600_000;
    const again = await post(world.live, key, body, url);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.text).toBe(first.text);
  },
);

test('a repeated batch keeps the time of publication that an earlier version has stored', async () => {
  const body = { data: [newRecord(writeCaseOf('content'), { status: 'published', publishedAt: null })] };
  const path = '/v1/content/batch';
  const first = await post(world.live, 'published', body, path);
  const [record] = first.json<{ data: readonly Created[] }>().data;
  const publishedAt = '2026-05-05T05:05:05.500Z';
  await pool.query(
    `update idempotent_answers set batch = jsonb_set(batch::jsonb, '{nowMs}', $1)::json where idempotency_key = 'published'`,
    [Date.parse(publishedAt)],
  );
  const again = await post(world.live, 'published', body, path);
  expect(again.json()).toEqual({ data: [{ ...record, publishedAt }] });
});

test('only a small part of the response to a batch is stored', async () => {
  const mentions = writeCaseOf('mentions');
  const excerpt = 'What somebody wrote about the company. '.repeat(100).slice(0, 2_000);
  const body = { data: Array.from({ length: 1_000 }, () => newRecord(mentions, { excerpt })) };
  const answer = await post(world.live, 'large', body, '/v1/mentions/batch');
  expect(answer.status).toBe(201);
  const { rows } = await pool.query<{ bytes: number }>(
    `select octet_length(batch::text) + coalesce(octet_length(body), 0) as bytes from idempotent_answers where idempotency_key = 'large'`,
  );
  const bytes = rows[0]?.bytes ?? Number.POSITIVE_INFINITY;
  expect(bytes).toBeLessThan(40 * 1_000);
  expect(bytes).toBeLessThan(answer.text.length / 50);
});

test('a key that is limited to a company does not see what is left of the workspace’s quota', async () => {
  await pool.query('update workspaces set burst_limit = 1000 where id = $1', [world.workspaceId]);
  await pool.query('update live_meters set live_quota = 1000000 where workspace_id = $1', [
    world.workspaceId,
  ]);
  const [whole, limited] = await Promise.all(
    [null, COMPANY].map((companyId) =>
      world.service.token(world.workspaceId, { access: 'write', companyId }),
    ),
  );
  const headersOf = async (token = '') => {
    const read = await world.service.request(token, '/v1/audits');
    const written = await post(token, `quota-${token.slice(-4)}`, auditOf(COMPANY));
    return [read, written].map(({ headers }) => `${headers['ratelimit']} ${headers['ratelimit-policy']}`);
  };
  for (const headers of await headersOf(whole)) expect(headers).toMatch(/"quota";r=/);
  for (const headers of await headersOf(limited)) {
    expect(headers).toMatch(/"burst";r=/);
    expect(headers).not.toContain('quota');
  }
});
