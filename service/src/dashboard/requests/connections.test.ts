import { expect, test } from 'vitest';
import { createTestDashboard, newEmail } from '../../../test/harness/dashboard.ts';
import { waitingForLocks } from '../../../test/harness/locks.ts';
import { createTestService } from '../../../test/harness/service.ts';

const service = await createTestService();
const { pool } = service;
const dashboard = createTestDashboard(service);
const STRANGERS = 12;

test.each([
  { from: 'many networks', address: (n: number) => `10.9.0.${n}`, connections: 2 },
  { from: 'one network', address: (n: number) => `2001:db8::${n}`, connections: 1 },
])(
  'sign-ins with invented addresses, from $from, leave connections to people with a session',
  async ({ address, connections }) => {
    const owner = await dashboard.owner();
    const holder = await pool.connect();
    let strangers: readonly Promise<unknown>[] = [];
    try {
      await holder.query('begin');
      await holder.query('lock table sign_in_attempts in access exclusive mode');
      strangers = Array.from({ length: STRANGERS }, (_, n) =>
        dashboard.nobody.send(
          'POST',
          '/auth/sign-in/email',
          { email: newEmail(), password: 'not the password' },
          { remoteAddress: address(n), headers: { cookie: `svc.session_token=made-up-${n}` } },
        ),
      );
      await expect.poll(() => waitingForLocks(pool)).toBe(connections);
      for (const path of ['/me', `/workspaces/${owner.workspaceId}/members`]) {
        expect((await owner.send('GET', path)).status).toBe(200);
        expect(await waitingForLocks(pool)).toBeLessThanOrEqual(connections);
      }
    } finally {
      await holder.query('rollback');
      holder.release();
      await Promise.all(strangers);
    }
  },
);
