import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { expectFailure } from '../../../test/harness/answers.ts';
import { createTestDashboard, newEmail, PASSWORD, tokenOf } from '../../../test/harness/dashboard.ts';
import { createTestService } from '../../../test/harness/service.ts';
import { INVITATIONS_PER_DAY_MAX, MEMBERS_MAX } from '../limits.ts';
import type { IssuedInvitation } from '../wire.ts';

const { pool, ...service } = await createTestService();
const dashboard = createTestDashboard({ pool, ...service });

/** Adds so many viewers. Their user ids sort before those of other people. */
const addViewers = (workspaceId: string, count: number) =>
  pool.query(
    `with people as (
       insert into users (id, name, email, created_at, updated_at)
       select '+' || $1 || i, 'V', i || lower($1) || '@example.com', now(), now() from generate_series(1, $2::int) i returning id
     )
     insert into members (workspace_id, user_id, id, role, created_at) select $1, id, id, 'viewer', now() from people`,
    [workspaceId, count],
  );
const countOf = async (workspaceId: string): Promise<number> =>
  (await pool.query('select 1 from members where workspace_id = $1', [workspaceId])).rowCount ?? 0;

describe('a workspace with many members', () => {
  test.each(['PATCH', 'DELETE'] as const)(
    'is left by an owner if there is another one: %s',
    async (method) => {
      const owner = await dashboard.owner();
      await addViewers(owner.workspaceId, 150);
      const other = await dashboard.member(owner.workspaceId, 'owner');
      const path = `/workspaces/${owner.workspaceId}/members`;
      const { data } = (await owner.send('GET', path)).json<{ data: { id: string; userId: string }[] }>();
      const leave = ({ userId, send }: typeof other) => {
        const id = data.find((member) => member.userId === userId)?.id;
        return send(method, `${path}/${id}`, method === 'PATCH' ? { role: 'viewer' } : undefined);
      };
      expect((await leave(owner)).status).toBeLessThan(300);
      expectFailure(await leave(other), 'conflict');
    },
  );

  test('takes nobody else when it is full, and the invitation works when somebody has left', async () => {
    const owner = await dashboard.owner();
    const { workspaceId } = owner;
    await addViewers(workspaceId, MEMBERS_MAX - 2);
    const invite = async () =>
      tokenOf(
        (
          await owner.send('POST', `/workspaces/${workspaceId}/invitations`, {
            email: newEmail(),
            role: 'viewer',
          })
        ).json<{ link: string }>().link,
      );
    const tokens = [await invite(), await invite()];
    const accept = (token: string | undefined) =>
      dashboard.nobody.send('POST', '/invitations/accept', { token, name: 'Bea', password: PASSWORD });
    const answers = await Promise.all(tokens.map(accept));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(await countOf(workspaceId)).toBe(MEMBERS_MAX);
    await pool.query(`delete from members where workspace_id = $1 and user_id like '%77'`, [workspaceId]);
    expect((await accept(tokens[answers.findIndex(({ status }) => status === 409)])).status).toBe(200);
  });
});

test('pending invitations are limited, however many others have expired', async () => {
  const owner = await dashboard.owner();
  const path = `/workspaces/${owner.workspaceId}/invitations`;
  const insert = (count: number, expires: string) =>
    pool.query(
      `insert into invitations (workspace_id, id, email, role, status, inviter_id, expires_at, created_at)
       select $1, $3 || i, i || '@example.com', 'viewer', 'pending', $2, now() + $3::interval, now()
       from generate_series(1, $4::int) i`,
      [owner.workspaceId, owner.userId, expires, count],
    );
  await insert(150, '-1 hour');
  await insert(99, '1 hour');
  const invite = () => owner.send('POST', path, { email: newEmail(), role: 'viewer' });
  expect((await invite()).status).toBe(201);
  expectFailure(await invite(), 'conflict');
  expect((await owner.send('GET', path)).json<{ data: unknown[] }>().data).toHaveLength(100);
});

test('invitations of one person are limited per day, so that nobody can look for accounts', async () => {
  const owner = await dashboard.owner();
  const { workspaceId } = owner;
  const admin = await dashboard.member(workspaceId, 'admin');
  const path = `/workspaces/${workspaceId}/invitations`;
  const invite = (email: string, key: string = randomUUID(), { send } = admin) =>
    send('POST', path, { email, role: 'viewer' }, { headers: { 'idempotency-key': key } });
  const [email, key] = [newEmail(), randomUUID()];
  expect((await invite(email, key)).status).toBe(201);
  expect((await invite(email, key)).status).toBe(200);
  for (let created = 1; created < INVITATIONS_PER_DAY_MAX; created++) {
    const { invitation } = (await invite(owner.email.replace('@', `${created}@`))).json<IssuedInvitation>();
    expect((await admin.send('DELETE', `${path}/${invitation.id}`)).status).toBe(204);
  }
  const refused = await invite(newEmail());
  expectFailure(refused, 'rate_limited');
  expect(refused.text).toContain('100 invitations within a day');
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_600);
  expect((await invite(newEmail(), randomUUID(), owner)).status).toBe(201);
});
