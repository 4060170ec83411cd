import { describe, expect, test } from 'vitest';
import { createTestDashboard, newEmail, type Visitor } from '../../../test/harness/dashboard.ts';
import { statementsOf } from '../../../test/harness/database.ts';
import { waitingForLocks } from '../../../test/harness/locks.ts';
import { createTestService, type TestAnswer } from '../../../test/harness/service.ts';
import type { DeletedWorkspace, IssuedInvitation, Me } from '../wire.ts';

const service = await createTestService();
/** Another node of the same service. */
const node = await createTestService({ database: service.database });
const { pool } = service;
const dashboard = createTestDashboard(service);
const elsewhere = createTestDashboard(node);

type Owner = Awaited<ReturnType<typeof dashboard.owner>>;
const remove = (owner: Visitor, workspaceId: string, name = 'Test') =>
  owner.send('DELETE', `/workspaces/${workspaceId}`, { name });
const restore = ({ workspaceId, send }: Owner) => send('POST', `/workspaces/${workspaceId}/restore`, {});
/** The status of a person's request to the workspace at the other node. */
const statusAt = async (visitor: Visitor, workspaceId: string, path = ''): Promise<number> =>
  (
    await elsewhere.nobody.send('GET', `/workspaces/${workspaceId}${path}`, undefined, {
      headers: { cookie: visitor.cookie },
    })
  ).status;
const meOf = async (visitor: Visitor) => (await visitor.send('GET', '/me')).json<Me>();

describe('a deleted workspace', () => {
  test('is gone for keys and members on every node with the next request, and others are not', async () => {
    const owner = await dashboard.owner();
    const { workspaceId } = owner;
    const viewer = await dashboard.member(workspaceId, 'viewer');
    const other = await dashboard.owner();
    const [live, testKey] = [
      await service.token(workspaceId),
      await service.token(workspaceId, { mode: 'test' }),
    ];
    const otherKey = await service.token(other.workspaceId);
    // Both nodes remember the keys.
    for (const at of [service, node]) {
      for (const token of [live, testKey, otherKey]) {
        expect((await at.request(token, '/v1/companies')).status).toBe(200);
      }
    }
    const answer = await remove(owner, workspaceId);
    expect(answer.status).toBe(200);
    for (const at of [node, service]) {
      for (const token of [live, testKey]) {
        const refused = await at.request(token, '/v1/companies');
        expect(refused.status).toBe(401);
        expect(refused.json()).toMatchObject({ error: { code: 'invalid_key' } });
      }
      expect((await at.request(otherKey, '/v1/companies')).status).toBe(200);
    }
    for (const visitor of [owner, viewer]) {
      for (const path of ['', '/keys', '/members', '/log', '/data/companies']) {
        expect(await statusAt(visitor, workspaceId, path)).toBe(404);
      }
    }
    expect(await statusAt(other, other.workspaceId)).toBe(200);
    const created = await owner.send('POST', `/workspaces/${workspaceId}/keys`, {
      ...{ name: 'x', mode: 'live', access: 'read', companyId: null },
    });
    expect(created.status).toBe(404);
  });

  test('is named to its members with the day of the removal', async () => {
    const owner = await dashboard.owner();
    const { workspaceId } = owner;
    const viewer = await dashboard.member(workspaceId, 'viewer');
    const { removedAt } = (await remove(owner, workspaceId)).json<DeletedWorkspace>();
    expect(Date.parse(removedAt) - Date.now()).toBeGreaterThan((7 * 24 - 1) * 60 * 60 * 1000);
    const deleted = { id: workspaceId, name: 'Test', removedAt };
    const me = await meOf(owner);
    expect(me.workspaces.map(({ id }) => id)).not.toContain(workspaceId);
    expect(me.deletedWorkspaces).toEqual([{ ...deleted, role: 'owner' }]);
    expect((await meOf(viewer)).deletedWorkspaces).toEqual([{ ...deleted, role: 'viewer' }]);
  });

  test('keeps its seven days if it was deleted while the clock was behind', async () => {
    const owner = await dashboard.owner();
    const { workspaceId } = owner;
    // Its newest record is later than the clock of the database.
    await pool.query(
      `update workspace_clocks set last_at = now() + interval '9 days' where workspace_id = $1`,
      [workspaceId],
    );
    const { removedAt } = (await remove(owner, workspaceId)).json<DeletedWorkspace>();
    expect(Date.parse(removedAt) - Date.now()).toBeGreaterThan((16 * 24 - 1) * 60 * 60 * 1000);
  });

  test('comes back with its keys when an owner restores it within seven days, and not later', async () => {
    const owner = await dashboard.owner();
    const { workspaceId } = owner;
    const revoked = await service.issue(workspaceId);
    const token = await service.token(workspaceId);
    await owner.send('POST', `/workspaces/${workspaceId}/keys/${revoked.keyId}/revoke`, {});
    const admin = await dashboard.member(workspaceId, 'admin');
    await remove(owner, workspaceId);
    expect((await restore({ ...admin, workspaceId })).status).toBe(403);
    expect((await restore({ ...(await dashboard.owner()), workspaceId })).status).toBe(404);
    expect((await restore(owner)).status).toBe(204);
    expect((await restore(owner)).status).toBe(404);
    expect((await node.request(token, '/v1/companies')).status).toBe(200);
    expect((await node.request(revoked.token, '/v1/companies')).status).toBe(401);
    expect(await statusAt(admin, workspaceId)).toBe(200);
    const { rows } = await pool.query(
      `select kind, actor from audit_log where workspace_id = $1 and kind like 'workspace.%' order by created_at`,
      [workspaceId],
    );
    expect(rows.slice(-2)).toEqual([
      { kind: 'workspace.deleted', actor: owner.email },
      { kind: 'workspace.restored', actor: owner.email },
    ]);
    await remove(owner, workspaceId);
    await pool.query(`update workspaces set deleted_at = now() - interval '7 days 1 second' where id = $1`, [
      workspaceId,
    ]);
    expect((await restore(owner)).status).toBe(404);
    expect((await node.request(token, '/v1/companies')).status).toBe(401);
  });

  test('is deleted once, also if it is deleted on two nodes at the same time', async () => {
    const owner = await dashboard.owner();
    const { workspaceId, cookie } = owner;
    const path = `/workspaces/${workspaceId}`;
    const holder = await pool.connect();
    let answers: Promise<readonly TestAnswer[]>;
    try {
      await holder.query('begin');
      await holder.query('select from workspaces where id = $1 for update', [workspaceId]);
      answers = Promise.all([
        remove(owner, workspaceId),
        elsewhere.nobody.send('DELETE', path, { name: 'Test' }, { headers: { cookie } }),
      ]);
      await expect.poll(() => waitingForLocks(pool)).toBe(2);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    expect((await answers).map(({ status }) => status).sort()).toEqual([200, 404]);
    const { rows } = await pool.query(
      `select count(*)::int as entries from audit_log where workspace_id = $1 and kind = 'workspace.deleted'`,
      [workspaceId],
    );
    expect(rows).toEqual([{ entries: 1 }]);
  });

  test('ends a request that waits for changes', async () => {
    const owner = await dashboard.owner();
    const token = await service.token(owner.workspaceId);
    const waiting = node.request(token, '/v1/changes?after=now&wait=30');
    expect((await node.request(token, '/v1/companies')).status).toBe(200);
    await remove(owner, owner.workspaceId);
    expect((await waiting).status).toBe(401);
  });

  test('cannot be joined: its invitations no longer work', async () => {
    const owner = await dashboard.owner();
    const invited = await owner.send('POST', `/workspaces/${owner.workspaceId}/invitations`, {
      email: newEmail(),
      role: 'viewer',
    });
    const token = new URL(invited.json<IssuedInvitation>().link ?? '').hash.replace('#token=', '');
    await remove(owner, owner.workspaceId);
    expect((await dashboard.nobody.send('POST', '/invitations/read', { token })).status).toBe(400);
  });

  test('is deleted and restored without a change of its keys, however many it has', async () => {
    const owner = await dashboard.owner();
    const { workspaceId } = owner;
    const modes = ['live', 'live', 'test'] as const;
    const tokens = await Promise.all(modes.map((mode) => service.token(workspaceId, { mode })));
    await pool.query(
      `insert into api_keys (workspace_id, id, name, mode, access, created_at, hint, token_index, salt, salted_hash)
       select $1, 'key_' || n, 'many', 'live', 'read', now(), '', decode(md5($1 || n), 'hex'), '', ''
       from generate_series(1, 5000) n`,
      [workspaceId],
    );
    /** Which version of each row is stored, and who has locked it. */
    const rowsOf = async () => {
      const { rows } = await pool.query<{ count: number; versions: string }>(
        `select count(*)::int as count, md5(string_agg(ctid::text || xmin || xmax, ',' order by id)) as versions
         from api_keys where workspace_id = $1`,
        [workspaceId],
      );
      return rows[0];
    };
    const before = await rowsOf();
    expect(before?.count).toBe(5_003);
    const statuses = () =>
      Promise.all(tokens.map(async (token) => (await node.request(token, '/v1/companies')).status));
    for (const [change, expected] of [
      [() => remove(owner, workspaceId), 401],
      [() => restore(owner), 200],
    ] as const) {
      const statements = await statementsOf(async () => expect((await change()).status).toBeLessThan(300));
      expect(statements.filter((text) => /api_keys/.test(text))).toEqual([]);
      expect(statements.length).toBeLessThan(40);
      expect(await statuses()).toEqual(Array(tokens.length).fill(expected));
    }
    expect(await rowsOf()).toEqual(before);
  });

  test('needs an owner who types its name', async () => {
    const owner = await dashboard.owner();
    const { workspaceId } = owner;
    const admin = await dashboard.member(workspaceId, 'admin');
    expect((await remove(admin, workspaceId)).status).toBe(403);
    expect((await remove(await dashboard.owner(), workspaceId)).status).toBe(404);
    for (const name of ['', 'test', 'Test ']) {
      const answer = await remove(owner, workspaceId, name);
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('name')]);
    }
    expect(await statusAt(owner, workspaceId)).toBe(200);
  });

  test('leaves no usable key, also if one is created at the same moment', async () => {
    const owner = await dashboard.owner();
    const key = { name: 'x', mode: 'live', access: 'read', companyId: null };
    const path = `/workspaces/${owner.workspaceId}/keys`;
    const [first, ...others] = Array.from({ length: 6 }, () => owner.send('POST', path, key));
    const deleted = remove(owner, owner.workspaceId);
    const created = [await first, ...(await Promise.all(others))];
    expect((await deleted).status).toBe(200);
    for (const answer of created) {
      if (answer?.status !== 201) continue;
      const { token } = answer.json<{ token: string }>();
      expect((await node.request(token, '/v1/companies')).status).toBe(401);
    }
  });
});
