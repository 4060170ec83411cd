import { describe, expect, test } from 'vitest';
import { createTestDashboard } from '../../../test/harness/dashboard.ts';
import { waitingForLocks } from '../../../test/harness/locks.ts';
import { resourceNamed, seedRecords } from '../../../test/harness/records.ts';
import { createTestService, type TestAnswer } from '../../../test/harness/service.ts';

interface Key {
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly revokedAt: string | null;
}
interface Issued {
  readonly key: Key;
  readonly token: string;
}
interface Page {
  readonly data: readonly Key[];
  readonly pagination: { readonly nextCursor: string | null; readonly total?: number };
}

const service = await createTestService();
const { pool } = service;
const dashboard = createTestDashboard(service);
const owner = await dashboard.owner();
const keys = `/workspaces/${owner.workspaceId}/keys`;
const KEY = { name: 'crawler', mode: 'live', access: 'read', companyId: null };
const create = async (key: object = {}): Promise<Issued> =>
  (await owner.send('POST', keys, { ...KEY, ...key })).json<Issued>();
const code = (answer: TestAnswer): string => answer.json<{ error: { code: string } }>().error.code;
const message = (answer: TestAnswer): string => answer.json<{ error: { message: string } }>().error.message;

await seedRecords(pool, owner.workspaceId, resourceNamed('companies'), [
  { id: 'com_1', createdAt: '2026-03-01T00:00:00Z' },
]);

describe('creating a key', () => {
  test('does not lock the log while it waits for a change of the same person', async () => {
    const holder = await pool.connect();
    let created: Promise<TestAnswer>;
    try {
      await holder.query('begin');
      await holder.query('select from users where id = $1 for update', [owner.userId]);
      created = owner.send('POST', keys, KEY);
      await expect.poll(() => waitingForLocks(pool)).toBe(1);
      // The change of the person locks the log last. This fails if it is locked.
      await holder.query('select from live_meters where workspace_id = $1 for update nowait', [
        owner.workspaceId,
      ]);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    expect((await created).status).toBe(201);
  });

  test('shows the token once, in a response that nobody stores, and the key as the API shows it', async () => {
    const answer = await owner.send('POST', keys, { ...KEY, companyId: 'com_1', access: 'write' });
    expect(answer.status).toBe(201);
    expect(answer.headers['cache-control']).toBe('no-store');
    const { key, token } = answer.json<Issued>();
    expect(token).toMatch(/^svc_live_[A-Za-z0-9_-]{32}$/);
    expect(key).toMatchObject({
      name: 'crawler',
      mode: 'live',
      access: 'write',
      companyId: 'com_1',
      hint: `svc_live_…${token.slice(-4)}`,
      revokedAt: null,
    });
    const read = await service.request(token, `/v1/api-keys/${key.id}`);
    expect(read.json()).toMatchObject({ id: key.id, companyId: 'com_1' });
    const list = await owner.send('GET', keys);
    expect(list.text).toContain(key.id);
    expect(list.text).not.toContain(token);
    expect(service.log.join('')).not.toContain(token);
  });

  test('refuses an invalid body, and names the field', async () => {
    const before = await pool.query('select count(*) from api_keys');
    const wrong: readonly (readonly [object | string, string])[] = [
      [{ ...KEY, name: '' }, '"name" must be 1 to 100 characters'],
      [{ ...KEY, name: 'x'.repeat(101) }, '"name" must be 1 to 100 characters'],
      [{ ...KEY, name: 5 }, '"name" must be'],
      [{ ...KEY, name: 'a\u0000b' }, 'U+0000'],
      [{ ...KEY, name: 'a\u0007b' }, '"name" must be'],
      [{ ...KEY, name: 'a\ud800b' }, '"name" must be'],
      [{ ...KEY, mode: 'prod' }, '"mode" must be one of live, test.'],
      [{ ...KEY, access: 'admin' }, '"access" must be one of read, write.'],
      [{ ...KEY, companyId: '' }, '"companyId" must be an id'],
      [{ ...KEY, companyId: 'com_2' }, '"companyId" must be the id of a company of this workspace'],
      [
        { ...KEY, scopes: [] },
        'Unknown field "scopes". Allowed: name, mode, access, companyId, expiresAt, allowedNetworks, burstLimit, replaces.',
      ],
      [{ name: 'x', mode: 'live', access: 'read' }, '"companyId" is missing'],
      [{}, '"name" is missing'],
      [[], 'The body must be a JSON object.'],
      ['text', 'The body must be a JSON object.'],
    ];
    for (const [body, expected] of wrong) {
      const answer = await owner.send('POST', keys, body);
      expect([answer.status, code(answer)], JSON.stringify(body)).toEqual([400, 'invalid_body']);
      expect(message(answer)).toContain(expected);
    }
    expect((await pool.query('select count(*) from api_keys')).rows).toEqual(before.rows);
  });

  test('accepts every name on one line, also with a backslash before u0000', async () => {
    for (const name of ['a', 'x'.repeat(100), 'Größe – 🦊', '\\u0000', 'back\\slash', '"quoted"']) {
      expect((await create({ name })).key.name).toBe(name);
    }
  });
});

describe('rotating a key', () => {
  test('shows a new token once and invalidates the old one immediately, for live and test keys', async () => {
    for (const mode of ['live', 'test']) {
      const first = await create({ mode });
      expect((await service.request(first.token, '/v1/audits')).status).toBe(200);
      const answer = await owner.send('POST', `${keys}/${first.key.id}/rotate`);
      expect(answer.status).toBe(200);
      expect(answer.headers['cache-control']).toBe('no-store');
      const second = answer.json<Issued>();
      expect(second.key.id).toBe(first.key.id);
      expect(second.token).not.toBe(first.token);
      expect((await service.request(first.token, '/v1/audits')).status).toBe(401);
      expect((await service.request(second.token, '/v1/audits')).status).toBe(200);
    }
  });

  test('is refused for a key that is revoked', async () => {
    const { key } = await create();
    await owner.send('POST', `${keys}/${key.id}/revoke`, {});
    const answer = await owner.send('POST', `${keys}/${key.id}/rotate`, {});
    expect([answer.status, code(answer)]).toEqual([409, 'conflict']);
  });
});

describe('revoking a key', () => {
  test('invalidates it immediately; a repeat changes nothing, and is logged once', async () => {
    const { key, token } = await create();
    expect((await service.request(token, '/v1/audits')).status).toBe(200);
    const first = (await owner.send('POST', `${keys}/${key.id}/revoke`)).json<{ key: Key }>();
    expect(first.key.revokedAt).not.toBeNull();
    expect((await service.request(token, '/v1/audits')).status).toBe(401);
    const { revokedAt } = first.key;
    const second = (await owner.send('POST', `${keys}/${key.id}/revoke`)).json<{ key: Key }>();
    expect(second.key).toMatchObject({ id: key.id, revokedAt });
    const { rows } = await pool.query(
      `select doc::json ->> 'actor' as actor from audit_log where kind = 'key.revoked' and key_id = $1`,
      [key.id],
    );
    expect(rows).toEqual([{ actor: owner.email }]);
  });
});

describe('the list of keys', async () => {
  const other = await dashboard.owner();
  const path = `/workspaces/${other.workspaceId}/keys`;
  const created: string[] = [];
  for (let n = 0; n < 5; n++) {
    const answer = await other.send('POST', path, { ...KEY, name: `key ${n}` });
    created.unshift(answer.json<Issued>().key.id);
  }
  await other.send('POST', `${path}/${created[0]}/revoke`);

  test('has the pages, filters and errors of the API', async () => {
    const first = (await other.send('GET', `${path}?limit=2`)).json<Page>();
    expect(first.data.map(({ id }) => id)).toEqual(created.slice(0, 2));
    expect(first.pagination.total).toBe(5);
    const next = `${path}?limit=10&cursor=${first.pagination.nextCursor}`;
    expect((await other.send('GET', next)).json<Page>().data.map(({ id }) => id)).toEqual(created.slice(2));
    const active = (await other.send('GET', `${path}?status=active`)).json<Page>();
    expect(active.data.map(({ id }) => id)).toEqual(created.slice(1));
    const mismatch = await other.send('GET', `${next}&status=active`);
    expect([mismatch.status, code(mismatch)]).toEqual([400, 'cursor_mismatch']);
    for (const query of ['limit=101', 'status=all', 'colour=blue', 'limit=1&limit=2']) {
      const answer = await other.send('GET', `${path}?${query}`);
      expect([answer.status, code(answer)], query).toEqual([400, 'invalid_parameter']);
    }
    const foreign = await owner.send('GET', `${keys}?cursor=${first.pagination.nextCursor}`);
    expect([foreign.status, code(foreign)]).toEqual([400, 'invalid_cursor']);
  });
});

describe('a key that does not exist', () => {
  test('returns 404 for rotate and revoke: unknown, of another workspace, or not an id', async () => {
    const stranger = await dashboard.owner();
    const { key } = await create();
    const theirs = `/workspaces/${stranger.workspaceId}/keys/${key.id}`;
    expect((await stranger.send('POST', `${theirs}/revoke`)).status).toBe(404);
    for (const id of ['key_none', '%00', 'a'.repeat(65), 'a b', "'"]) {
      for (const action of ['rotate', 'revoke']) {
        const answer = await owner.send('POST', `${keys}/${encodeURIComponent(id)}/${action}`);
        expect([answer.status, code(answer)], id).toEqual([404, 'not_found']);
      }
    }
  });
});
