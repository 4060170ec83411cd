import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';
import { describe, expect, test } from 'vitest';
import { createTestDashboard, newEmail, tokenOf, type Visitor } from '../../../test/harness/dashboard.ts';
import { createTestService, type TestAnswer } from '../../../test/harness/service.ts';
import { inTransaction } from '../../database/pool.ts';
import type { CreatedEndpoint } from '../../webhooks/wire.ts';
import type { CreatedKey, ImportAnswer, IssuedInvitation, Workspace } from '../wire.ts';
import { HARMLESS } from './harmless.fixture.ts';

const API = '/dashboard/api';

const routes: { readonly path: string; readonly creates: boolean }[] = [];
const watch = (message: unknown): void => {
  (message as { readonly fastify: FastifyInstance }).fastify.addHook('onRoute', ({ method, url, config }) => {
    if (method === 'POST' && url.startsWith(`${API}/`))
      routes.push({ path: url.slice(API.length), creates: config?.creates === true });
  });
};
subscribe('fastify.initialization', watch);
/** Two applications on one database, like two nodes. */
const a = await createTestService();
unsubscribe('fastify.initialization', watch);
const b = await createTestService({ database: a.database });
const dashboard = createTestDashboard(a);
const owner = await dashboard.owner();
const { workspaceId } = owner;
const onB = await dashboard.signIn(owner.userId, owner.email, b.app);
const KEY = { name: 'crawler', mode: 'test', access: 'read', companyId: null };

interface Creation {
  readonly path: string;
  /** Default: JSON. */
  readonly type?: string;
  /** A media type with which the service refuses the body. Default: `type`, because its body then lacks fields. */
  readonly wrongType?: string;
  readonly body: () => object;
  /** Another body that is valid too. */
  readonly other: () => object;
  /** The id in the response of what was created. */
  readonly idOf: (answer: TestAnswer) => string;
  readonly count: string;
}

const ENDPOINT = {
  url: 'https://example.com/hook',
  description: '',
  types: null,
  companyId: null,
  ordered: true,
};

const CREATIONS: Readonly<Record<string, Creation>> = {
  '/workspaces/:workspaceId/keys': {
    path: `/workspaces/${workspaceId}/keys`,
    body: () => KEY,
    other: () => ({ ...KEY, name: 'another' }),
    idOf: (answer) => answer.json<CreatedKey>().key.id,
    count: 'select count(*)::int as count from api_keys',
  },
  '/workspaces': {
    path: '/workspaces',
    body: () => ({ name: 'Second' }),
    other: () => ({ name: 'Third' }),
    idOf: (answer) => answer.json<Workspace>().id,
    count: 'select count(*)::int as count from workspaces',
  },
  '/workspaces/:workspaceId/invitations': {
    path: `/workspaces/${workspaceId}/invitations`,
    body: () => ({ email: newEmail(), role: 'viewer' }),
    other: () => ({ email: newEmail(), role: 'viewer' }),
    idOf: (answer) => answer.json<IssuedInvitation>().invitation.id,
    count: 'select count(*)::int as count from invitations',
  },
  '/workspaces/:workspaceId/webhooks': {
    path: `/workspaces/${workspaceId}/webhooks`,
    body: () => ENDPOINT,
    other: () => ({ ...ENDPOINT, ordered: false }),
    idOf: (answer) => answer.json<CreatedEndpoint>().endpoint.id,
    count: 'select count(*)::int as count from webhook_endpoints',
  },
  '/workspaces/:workspaceId/data/:resource': {
    path: `/workspaces/${workspaceId}/data/companies`,
    body: () => ({ name: 'Acme' }),
    other: () => ({ name: 'Borealis' }),
    idOf: (answer) => answer.json<{ id: string }>().id,
    count: 'select count(*)::int as count from companies',
  },
  '/workspaces/:workspaceId/imports/:resource': {
    path: `/workspaces/${workspaceId}/imports/companies`,
    type: 'application/x-ndjson',
    wrongType: 'text/csv',
    body: () => ({ name: 'Acme' }),
    other: () => ({ name: 'Borealis' }),
    idOf: (answer) => answer.json<ImportAnswer>().id ?? '',
    count: 'select count(*)::int as count from companies',
  },
};

test('every route that creates something requires an Idempotency-Key', () => {
  const own = routes.filter(({ path }) => !path.startsWith('/auth/'));
  const creating = own.filter(({ creates }) => creates).map(({ path }) => path);
  expect(creating.toSorted()).toEqual(Object.keys(CREATIONS).toSorted());
  expect(own.filter(({ creates }) => !creates).map(({ path }) => path)).toSatisfy((paths: string[]) =>
    paths.every((path) => path in HARMLESS),
  );
});

const count = async (statement: string): Promise<number> =>
  (await a.pool.query<{ count: number }>(statement)).rows[0]?.count ?? -1;
const sender =
  (type = 'application/json') =>
  (visitor: Visitor, path: string, body: object, key: string): Promise<TestAnswer> =>
    visitor.send('POST', path, body, { headers: { 'content-type': type, 'idempotency-key': key } });
const send = sender();
const codeOf = (answer: TestAnswer): string => answer.json<{ error: { code: string } }>().error.code;

describe.each(Object.values(CREATIONS))('POST $path', (creation) => {
  const { path, type, wrongType = type, body, other, idOf, count: statement } = creation;
  const send = sender(type);
  test('is refused without an Idempotency-Key and with an invalid one', async () => {
    const before = await count(statement);
    for (const key of ['', 'x'.repeat(256), 'two words']) {
      const answer = await send(owner, path, body(), key);
      expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_parameter']);
    }
    const without = await a.app.inject({
      method: 'POST',
      url: API + path,
      headers: { cookie: owner.cookie, 'content-type': type ?? 'application/json' },
      payload: JSON.stringify(body()),
    });
    expect(without.statusCode).toBe(400);
    expect(without.body).toContain('Idempotency-Key');
    expect(await count(statement)).toBe(before);
  });

  test('creates one thing when two nodes get the same request at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const before = await count(statement);
      const key = randomUUID();
      const same = body();
      const answers = await Promise.all([send(owner, path, same, key), send(onB, path, same, key)]);
      expect(await count(statement)).toBe(before + 1);
      const first = answers.filter(({ status }) => status === 201);
      expect(first).toHaveLength(1);
      for (const answer of answers.filter(({ status }) => status !== 201)) {
        if (answer.status !== 200)
          expect([answer.status, codeOf(answer)]).toEqual([409, 'idempotency_in_progress']);
      }
      const again = await send(onB, path, same, key);
      expect(again.status).toBe(200);
      expect(first.map(idOf)).toEqual([idOf(again)]);
      expect(await count(statement)).toBe(before + 1);
    }
  });

  test('refuses a repeat with other values, and creates again with another key or after a day', async () => {
    const key = randomUUID();
    const same = body();
    const created = await send(owner, path, same, key);
    const before = await count(statement);
    const mismatch = await send(owner, path, other(), key);
    expect([mismatch.status, codeOf(mismatch)]).toEqual([422, 'idempotency_mismatch']);
    expect(await count(statement)).toBe(before);
    expect((await send(owner, path, other(), randomUUID())).status).toBe(201);
    await a.pool.query(
      `update dashboard_idempotency_keys set created_at = now() - interval '24 hours 1 second' where idempotency_key = $1`,
      [key],
    );
    const later = await send(owner, path, same, key);
    expect(later.status).toBe(201);
    expect(idOf(later)).not.toBe(idOf(created));
  });

  test('leaves the key free if the request is refused, and separates the keys of two people', async () => {
    const key = randomUUID();
    expect((await sender(wrongType)(owner, path, { name: 5 }, key)).status).toBe(400);
    const created = await send(owner, path, body(), key);
    expect(created.status).toBe(201);
    const stranger = await dashboard.owner();
    const own = path.replace(workspaceId, stranger.workspaceId);
    const theirs = await send(stranger, own, body(), key);
    expect(theirs.status).toBe(201);
    expect(idOf(theirs)).not.toBe(idOf(created));
  });
});

test('a repeat shows no token and no link, and none is stored', async () => {
  const keys = `/workspaces/${workspaceId}/keys`;
  const invitations = `/workspaces/${workspaceId}/invitations`;
  const [one, two] = [randomUUID(), randomUUID()];
  const invitation = { email: newEmail(), role: 'viewer' };
  const { token } = (await send(owner, keys, KEY, one)).json<CreatedKey>();
  const { link } = (await send(owner, invitations, invitation, two)).json<IssuedInvitation>();
  expect((await send(owner, keys, KEY, one)).json()).toMatchObject({ key: { name: 'crawler' }, token: null });
  expect((await send(owner, invitations, invitation, two)).json()).toMatchObject({ link: null });
  const { rows } = await a.pool.query<{ row: string }>(
    'select row_to_json(k)::text as row from dashboard_idempotency_keys k',
  );
  const stored = rows.map(({ row }) => row).join('\n');
  expect(stored).toContain(one);
  expect(stored).not.toContain(token?.slice(-20));
  expect(stored).not.toContain(tokenOf(link ?? ''));
});

test('a repeat of an invitation that was withdrawn says so', async () => {
  const path = `/workspaces/${workspaceId}/invitations`;
  const key = randomUUID();
  const body = { email: newEmail(), role: 'viewer' };
  const { invitation } = (await send(owner, path, body, key)).json<IssuedInvitation>();
  expect((await owner.send('DELETE', `${path}/${invitation.id}`)).status).toBe(204);
  const again = await send(owner, path, body, key);
  expect([again.status, codeOf(again)]).toEqual([409, 'conflict']);
});

test('a repeat creates what the first request did not commit', async () => {
  const key = randomUUID();
  const before = await count('select count(*)::int as count from api_keys');
  // Lock the log of the workspace until the connection of the waiting request is ended.
  const refused = await inTransaction(a.pool, async (client) => {
    await client.query('select 1 from live_meters where workspace_id = $1 for update', [workspaceId]);
    const waiting = send(owner, `/workspaces/${workspaceId}/keys`, KEY, key);
    await expect
      .poll(async () => {
        const { rowCount } = await a.pool.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and state = 'active'`,
        );
        return rowCount;
      })
      .toBe(1);
    return waiting;
  });
  expect(refused.status).toBe(503);
  expect(await count('select count(*)::int as count from api_keys')).toBe(before);
  expect((await send(owner, `/workspaces/${workspaceId}/keys`, KEY, key)).status).toBe(201);
});
