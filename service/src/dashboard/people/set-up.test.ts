import { waitFor } from '@svc/embedded-postgres/testing';
import { describe, expect, test } from 'vitest';
import {
  createTestDashboard,
  newEmail,
  PASSWORD,
  PUBLIC_URL,
  sessionCookie,
  tokenOf,
} from '../../../test/harness/dashboard.ts';
import { createTestService } from '../../../test/harness/service.ts';
import { inTransaction } from '../../database/pool.ts';
import { bootstrap, createSetUpLink, createSignInLink } from '../index.ts';
import type { Me } from '../wire.ts';

const person = () => ({ name: 'Ada', email: newEmail(), password: PASSWORD, workspaceName: 'First' });

async function emptyService() {
  const service = await createTestService();
  const dashboard = createTestDashboard(service);
  const link = async (): Promise<string> => {
    const created = await createSetUpLink({ pool: service.pool, publicUrl: PUBLIC_URL });
    if (created === null) throw new Error('There is a user already.');
    return created;
  };
  return { ...service, ...dashboard, link };
}

describe('the set-up link', () => {
  test('creates the owner and the first workspace, signs in, and does nothing the second time', async () => {
    const { link, nobody, pool } = await emptyService();
    const token = tokenOf(await link());
    const body = { token, ...person() };
    const answer = await nobody.send('POST', '/set-up', body);
    expect(answer.status).toBe(201);
    const { userId, workspaceId } = answer.json<{ userId: string; workspaceId: string }>();
    expect(workspaceId).toMatch(/^wks_/);
    const cookie = sessionCookie(answer) ?? '';
    const me = (await nobody.send('GET', '/me', undefined, { headers: { cookie } })).json<Me>();
    expect(me).toEqual({
      user: { id: userId, email: body.email, name: 'Ada' },
      workspaces: [{ id: workspaceId, name: 'First', role: 'owner' }],
      deletedWorkspaces: [],
    });

    const again = await nobody.send('POST', '/set-up', { ...body, email: newEmail() });
    expect(again.status).toBe(400);
    expect(again.json()).toMatchObject({ error: { code: 'invalid_body' } });
    expect(sessionCookie(again)).toBeUndefined();
    const { rows } = await pool.query(
      'select (select count(*) from users) as users, count(*) from workspaces',
    );
    expect(rows).toEqual([{ users: 1, count: 1 }]);
  });

  test('keeps its token out of the path and the query, and out of the database', async () => {
    const { link, pool } = await emptyService();
    const url = new URL(await link());
    expect(`${url.origin}${url.pathname}${url.search}`).toBe(`${PUBLIC_URL}/set-up`);
    const { rows } = await pool.query<{ row: string }>(
      'select one_time_links::text as row from one_time_links',
    );
    expect(rows).toHaveLength(1);
    const token = tokenOf(url.href);
    expect(token).toHaveLength(43);
    expect(rows[0]?.row).not.toContain(token);
    expect(rows[0]?.row).not.toContain(Buffer.from(token, 'base64url').toString('hex'));
  });

  test('works for exactly 24 hours', async () => {
    const { link, nobody, pool } = await emptyService();
    const token = tokenOf(await link());
    const age = (seconds: number) =>
      pool.query(`update one_time_links set expires_at = expires_at - $1 * interval '1 second'`, [seconds]);
    const day = 24 * 60 * 60;
    await age(day + 1);
    expect((await nobody.send('POST', '/set-up', { token, ...person() })).status).toBe(400);
    await age(-61);
    expect((await nobody.send('POST', '/set-up', { token, ...person() })).status).toBe(201);
  });

  test('creates one owner when it is used ten times at the same time', async () => {
    const { link, nobody, pool } = await emptyService();
    const token = tokenOf(await link());
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => nobody.send('POST', '/set-up', { token, ...person() })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(9).fill(400)]);
    const { rows } = await pool.query(
      'select (select count(*) from users) as users, count(*) from workspaces',
    );
    expect(rows).toEqual([{ users: 1, count: 1 }]);
  });

  test('creates one owner when two links are used at the same time', async () => {
    const { link, nobody, pool } = await emptyService();
    const tokens = [tokenOf(await link()), tokenOf(await link())];
    // Both requests wait at their first lock of users, so that neither has committed when the other one reads.
    const { answers } = await inTransaction(pool, async (client) => {
      await client.query('lock table users in share mode');
      // From two networks, because one network has only one connection at a time.
      const answers = tokens.map((token, n) =>
        nobody.send('POST', '/set-up', { token, ...person() }, { remoteAddress: `10.7.0.${n}` }),
      );
      await waitFor(async () => {
        const { rowCount } = await client.query(
          `select 1 from pg_locks where relation = 'users'::regclass and not granted`,
        );
        expect(rowCount).toBe(2);
      });
      return { answers };
    });
    const [created, refused] = (await Promise.all(answers)).toSorted((a, b) => a.status - b.status);
    expect(created?.status).toBe(201);
    expect([400, 409]).toContain(refused?.status);
    expect((await pool.query('select 1 from users')).rowCount).toBe(1);
  });

  test('is not created, and no longer works, after there is a user', async () => {
    const { link, nobody, pool, ...dashboard } = await emptyService();
    const token = tokenOf(await link());
    await dashboard.bootstrap();
    expect(await createSetUpLink({ pool, publicUrl: PUBLIC_URL })).toBeNull();
    const answer = await nobody.send('POST', '/set-up', { token, ...person() });
    expect(answer.status).toBe(409);
    expect(answer.json()).toMatchObject({ error: { code: 'conflict' } });
  });

  test('is not used up by a refused form', async () => {
    const { link, nobody } = await emptyService();
    const token = tokenOf(await link());
    const wrong: readonly (readonly [string, unknown])[] = [
      ['email', 'ada'],
      ['email', 'ada@localhost'],
      ['email', undefined],
      ['password', 'ninechars'],
      ['password', 'x'.repeat(129)],
      ['name', '   '],
      ['workspaceName', 'x'.repeat(101)],
      ['workspaceName', 'two\nlines'],
      ['colour', 'blue'],
    ];
    for (const [field, value] of wrong) {
      const answer = await nobody.send('POST', '/set-up', { token, ...person(), [field]: value });
      expect(answer.status, field).toBe(400);
      expect(answer.json<{ error: { message: string } }>().error.message).toContain(`"${field}"`);
    }
    expect((await nobody.send('POST', '/set-up', { token, ...person() })).status).toBe(201);
  });
});

describe('a sign-in link', async () => {
  const service = await createTestService();
  const { nobody, bootstrap, member } = createTestDashboard(service);
  const { userId, workspaceId } = await bootstrap();
  const options = { pool: service.pool, publicUrl: PUBLIC_URL, userId };

  test('signs the user in once', async () => {
    const token = tokenOf(await createSignInLink(options));
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => nobody.send('POST', '/sign-in-link', { token })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400]);
    const opened = answers.find(({ status }) => status === 200);
    expect(opened?.json()).toEqual({ userId });
    const headers = { cookie: opened === undefined ? '' : (sessionCookie(opened) ?? '') };
    expect((await nobody.send('GET', '/me', undefined, { headers })).json<Me>().user.id).toBe(userId);
  });

  test('works for an hour', async () => {
    const token = tokenOf(await createSignInLink(options));
    const { rows } = await service.pool.query(
      `select expires_at - now() between interval '59 minutes' and interval '1 hour' as fits from one_time_links`,
    );
    expect(rows).toEqual([{ fits: true }]);
    await service.pool.query('update one_time_links set expires_at = now()');
    expect((await nobody.send('POST', '/sign-in-link', { token })).status).toBe(400);
  });

  test('does nothing else, and no other link starts a session', async () => {
    const token = tokenOf(await createSignInLink(options));
    expect((await nobody.send('POST', '/set-up', { token, ...person() })).status).toBe(400);
    expect((await nobody.send('POST', '/invitations/accept', { token })).status).toBe(400);
    for (const wrong of ['', 'x', `${token}x`, `${token.slice(0, -1)}_`]) {
      expect((await nobody.send('POST', '/sign-in-link', { token: wrong })).status).toBe(400);
    }
    expect((await nobody.send('POST', '/sign-in-link', { token })).status).toBe(200);
  });

  test('does not work after the user was deleted', async () => {
    const gone = await member(workspaceId, 'viewer');
    const token = tokenOf(await createSignInLink({ ...options, userId: gone.userId }));
    await service.pool.query('delete from users where id = $1', [gone.userId]);
    expect((await nobody.send('POST', '/sign-in-link', { token })).status).toBe(400);
    expect((await gone.send('GET', '/me')).status).toBe(401);
  });
});

describe('bootstrap', async () => {
  const service = await createTestService();
  const { auth, nobody } = createTestDashboard(service);
  const run = (email: string, password = PASSWORD, workspaceName = 'Test') =>
    bootstrap({ pool: service.pool, auth, email, password, workspaceName });
  const signIn = (email: string, password: string) =>
    nobody.send('POST', '/auth/sign-in/email', { email, password });

  test('creates an owner who signs in with the password, and more workspaces for the same address', async () => {
    const email = newEmail();
    const first = await run(email);
    expect(first.created).toBe(true);
    const second = await run(email.toUpperCase(), 'another password', 'Second');
    expect(second).toEqual({ userId: first.userId, workspaceId: second.workspaceId, created: false });
    expect((await signIn(email, 'another password')).status).toBe(401);
    const answer = await signIn(email, PASSWORD);
    const headers = { cookie: sessionCookie(answer) ?? '' };
    const me = (await nobody.send('GET', '/me', undefined, { headers })).json<Me>();
    expect(me.workspaces).toEqual([
      { id: second.workspaceId, name: 'Second', role: 'owner' },
      { id: first.workspaceId, name: 'Test', role: 'owner' },
    ]);
  });

  test('creates another owner for another address', async () => {
    const [a, b] = [await run(newEmail()), await run(newEmail())];
    expect([a.created, b.created]).toEqual([true, true]);
    expect(a.workspaceId).not.toBe(b.workspaceId);
  });

  test('creates one account when it runs twice at the same time', async () => {
    const email = newEmail();
    const results = await Promise.allSettled([run(email), run(email)]);
    expect(results.some(({ status }) => status === 'fulfilled')).toBe(true);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'conflict' });
    }
    const { rowCount } = await service.pool.query('select 1 from users where email = $1', [email]);
    expect(rowCount).toBe(1);
  });

  test('names the value that is not allowed, and writes nothing', async () => {
    const before = await service.pool.query('select count(*) from workspaces');
    await expect(run('nobody')).rejects.toThrow('"email" must be an email address');
    await expect(run(newEmail(), 'too short')).rejects.toThrow('"password" must be 10 to 128 characters.');
    await expect(run(newEmail(), PASSWORD, ' ')).rejects.toThrow(
      '"workspaceName" must be 1 to 100 characters',
    );
    expect((await service.pool.query('select count(*) from workspaces')).rows).toEqual(before.rows);
  });
});
