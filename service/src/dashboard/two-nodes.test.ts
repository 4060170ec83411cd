import { describe, expect, test } from 'vitest';
import { createTestDashboard } from '../../test/harness/dashboard.ts';
import { waitingForLocks } from '../../test/harness/locks.ts';
import { createTestService } from '../../test/harness/service.ts';
import { inTransaction } from '../database/pool.ts';

const ROUNDS = 50;

interface Issued {
  readonly key: { readonly id: string };
  readonly token: string;
}

/** Two applications that share only the database, like two nodes. */
const a = await createTestService();
const b = await createTestService({ database: a.database });
const dashboard = createTestDashboard(a);
const owner = await dashboard.owner();
const keys = `/workspaces/${owner.workspaceId}/keys`;
const create = async (mode: 'live' | 'test'): Promise<Issued> =>
  (await owner.send('POST', keys, { name: 'node', mode, access: 'read', companyId: null })).json<Issued>();
const onB = async (token: string): Promise<number> => (await b.request(token, '/v1/audits?limit=1')).status;

describe.each(['live', 'test'] as const)('a %s key that node B has just answered', (mode) => {
  test(`is refused by B in the next request after A has revoked it, ${ROUNDS} times in a row`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { key, token } = await create(mode);
      expect(await onB(token)).toBe(200);
      expect((await owner.send('POST', `${keys}/${key.id}/revoke`, {})).status).toBe(200);
      expect(await onB(token), `round ${round}`).toBe(401);
    }
  });

  test(`is refused by B in the next request after A has rotated it, ${ROUNDS} times in a row`, async () => {
    let { key, token } = await create(mode);
    for (let round = 0; round < ROUNDS; round++) {
      expect(await onB(token)).toBe(200);
      const rotated = await owner.send('POST', `${keys}/${key.id}/rotate`, {});
      expect(rotated.status).toBe(200);
      expect(await onB(token), `round ${round}`).toBe(401);
      ({ key, token } = rotated.json<Issued>());
    }
    expect(await onB(token)).toBe(200);
  });
});

describe('a session', () => {
  test('works on both nodes: started on A, used and ended on B', async () => {
    const { email, userId } = await dashboard.bootstrap();
    const visitor = await dashboard.signIn(userId, email);
    const headers = { cookie: visitor.cookie, 'content-type': 'application/json' };
    const me = () => b.app.inject({ url: '/dashboard/api/me', headers });
    expect((await me()).statusCode).toBe(200);
    const out = await b.app.inject({ method: 'POST', url: '/dashboard/api/auth/sign-out', headers });
    expect(out.statusCode).toBe(200);
    expect((await me()).statusCode).toBe(401);
    expect((await visitor.send('GET', '/me')).status).toBe(401);
  });

  test('counts attempts on both nodes together, and the last one is available once', async () => {
    const { email } = await dashboard.bootstrap();
    const attempts = async (count: number): Promise<readonly number[]> => {
      const answers = Array.from({ length: count }, (_, n) =>
        (n % 2 ? a.app : b.app).inject({
          method: 'POST',
          url: '/dashboard/api/auth/sign-in/email',
          remoteAddress: '10.4.0.1',
          headers: { 'content-type': 'application/json' },
          payload: { email, password: 'not the password' },
        }),
      );
      return (await Promise.all(answers)).map(({ statusCode }) => statusCode).toSorted();
    };
    expect(await attempts(9)).toEqual(Array(9).fill(401));
    // Both nodes wait to count the tenth attempt before either has counted it.
    const last = await inTransaction(a.pool, async (client) => {
      await client.query('select from sign_in_attempts for update');
      const answers = attempts(2);
      await expect.poll(() => waitingForLocks(a.pool)).toBe(2);
      return { answers };
    });
    expect(await last.answers).toEqual([401, 429]);
  });
});
