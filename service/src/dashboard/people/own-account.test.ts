import { describe, expect, test } from 'vitest';
import { expectFailure } from '../../../test/harness/answers.ts';
import { createTestDashboard, newEmail, PASSWORD, type Visitor } from '../../../test/harness/dashboard.ts';
import { waitingForLocks } from '../../../test/harness/locks.ts';
import { createTestService } from '../../../test/harness/service.ts';
import { inTransaction } from '../../database/pool.ts';
import type { Me } from '../wire.ts';
import { lockPerson } from './accounts.ts';

const service = await createTestService();
/** Another node of the same service. */
const node = createTestDashboard(await createTestService({ database: service.database }));
const { pool } = service;
const dashboard = createTestDashboard(service);

const userOf = async (visitor: Visitor) =>
  (await node.nobody.send('GET', '/me', undefined, { headers: { cookie: visitor.cookie } })).json<Me>().user;

describe('the own account', () => {
  test('gets another name and email address; sessions stay, and the new address signs in', async () => {
    const owner = await dashboard.owner();
    const other = await dashboard.signIn(owner.userId, owner.email);
    expect((await owner.send('PATCH', '/me', { name: 'Ada Byron' })).json()).toMatchObject({
      name: 'Ada Byron',
      email: owner.email,
    });
    const email = newEmail();
    const moved = await owner.send('PATCH', '/me', { email: email.toUpperCase(), currentPassword: PASSWORD });
    expect(moved.status).toBe(200);
    for (const session of [owner, other]) {
      expect(await userOf(session)).toEqual({ id: owner.userId, name: 'Ada Byron', email });
    }
    expect((await dashboard.enter(email, PASSWORD)).status).toBe(200);
    expect((await dashboard.enter(owner.email, PASSWORD)).status).toBe(401);
  });

  test('keeps its address without the right password, which counts as a failed attempt', async () => {
    const owner = await dashboard.owner();
    const missing = await owner.send('PATCH', '/me', { email: newEmail() });
    expect([missing.status, missing.text]).toEqual([400, expect.stringContaining('currentPassword')]);
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 11; attempt++) {
      const body = { email: newEmail(), currentPassword: 'not the password' };
      statuses.push((await owner.send('PATCH', '/me', body)).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 400), 429]);
    const { email } = await userOf(owner);
    expect(email).toBe(owner.email);
    const { rows } = await pool.query(
      `select doc::json ->> 'details' as details from audit_log
       where workspace_id = $1 and kind = 'account.password_check_failed'`,
      [owner.workspaceId],
    );
    expect(rows).toHaveLength(10);
    expect(rows[0]).toEqual({ details: expect.stringContaining('change-email') });
  });

  test('does not get the address of another account, and cannot be used to look for accounts', async () => {
    const [owner, other] = [await dashboard.owner(), await dashboard.owner()];
    const body = { email: other.email, currentPassword: PASSWORD };
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 11; attempt++)
      statuses.push((await owner.send('PATCH', '/me', body)).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 409), 429]);
    const blind = await owner.send('PATCH', '/me', { ...body, currentPassword: 'not the password' });
    expect(blind.status).toBe(429);
    expect((await userOf(owner)).email).toBe(owner.email);
  });

  test('changes its address three times a day, because nobody else joins with those it had', async () => {
    const [owner, other] = [await dashboard.owner(), await dashboard.owner()];
    const move = (email = newEmail()) => owner.send('PATCH', '/me', { email, currentPassword: PASSWORD });
    // A refusal does not count as one of them.
    expect((await move(other.email)).status).toBe(409);
    for (let i = 0; i < 3; i++) expect((await move()).status).toBe(200);
    const refused = await move();
    expectFailure(refused, 'rate_limited', 'changed your address 3 times');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_600);
    expect((await owner.send('PATCH', '/me', { name: 'Ada Byron' })).status).toBe(200);
  });

  test('one of two people who want the same address at the same time gets it', async () => {
    const [one, two] = [await dashboard.owner(), await dashboard.owner()];
    const body = { email: newEmail(), currentPassword: PASSWORD };
    const answers = await Promise.all([one.send('PATCH', '/me', body), two.send('PATCH', '/me', body)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  test.each([
    ['name', { name: 'Ada Byron' }, { email: newEmail() }],
    ['email address', { email: newEmail(), currentPassword: PASSWORD }, { name: 'Ada Byron' }],
  ])('keeps what another request changes at the same time as the %s', async (_, change, other) => {
    const owner = await dashboard.owner();
    const { changing } = await inTransaction(pool, async (client) => {
      await lockPerson(client, owner.userId);
      const changing = owner.send('PATCH', '/me', change);
      await expect.poll(() => waitingForLocks(pool)).toBe(1);
      for (const [column, value] of Object.entries(other))
        await client.query(`update users set ${column} = $2 where id = $1`, [owner.userId, value]);
      return { changing };
    });
    const { currentPassword: _password, ...changed } = { currentPassword: '', ...change };
    const after = { id: owner.userId, ...changed, ...other };
    expect((await changing).json()).toEqual(after);
    expect(await userOf(owner)).toEqual(after);
    const { rows } = await pool.query<{ field: string }>(
      `select c ->> 'field' as field from audit_log, json_array_elements(doc::json -> 'changes') c
       where workspace_id = $1 and kind = 'account.changed'`,
      [owner.workspaceId],
    );
    expect(rows).toEqual([{ field: Object.keys(changed)[0] }]);
  });

  test.each([
    [{ name: '' }, '"name"'],
    [{ name: 'a\nb' }, '"name"'],
    [{ email: 'ada', currentPassword: PASSWORD }, '"email"'],
    [{ role: 'owner' }, '"role"'],
    [{ email: null }, '"email"'],
  ])('refuses %j by name', async (body, field) => {
    const owner = await dashboard.owner();
    const answer = await owner.send('PATCH', '/me', body);
    expect([answer.status, answer.text.includes(field.replaceAll('"', '\\"'))]).toEqual([400, true]);
  });

  test('cannot be changed without a session', async () => {
    expect((await dashboard.nobody.send('PATCH', '/me', { name: 'x' })).status).toBe(401);
  });
});
