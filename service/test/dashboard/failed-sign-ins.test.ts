import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { inTransaction } from '../../src/database/pool.ts';
import { createTestDashboard, PUBLIC_URL } from '../harness/dashboard.ts';
import { waitingForLocks } from '../harness/locks.ts';
import { createTestService } from '../harness/service.ts';
import { listen, portOf } from '../harness/socket.ts';

const service = await createTestService();
const { database, pool } = service;
const dashboard = createTestDashboard(service);

/** A node that listens, and a client that has sent text to it. */
async function sendTo(text: string) {
  const node = await createTestService({ database });
  await listen(node);
  const { app } = node;
  const connected = once(app.server, 'connection');
  const arrived = once(app.server, 'request');
  const socket = connect(portOf(app.server), '127.0.0.1');
  socket.write(text);
  const [client] = (await connected) as [Socket];
  return {
    close: () => app.close(),
    /** Resolves when the service has the header of the request. */
    arrived,
    /** Resets the connection. Resolves when the service knows it. */
    disconnect: async (): Promise<void> => {
      const closed = once(client, 'close').catch(() => undefined);
      socket.resetAndDestroy();
      await closed;
    },
  };
}

const signIn = (email: string): string => {
  const body = JSON.stringify({ email, password: 'not the password' });
  return `POST /dashboard/api/auth/sign-in/email HTTP/1.1\r\nhost: svc.test\r\norigin: ${PUBLIC_URL}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};
const failures = async (workspaceId: string): Promise<number | null> =>
  (
    await pool.query(`select 1 from audit_log where workspace_id = $1 and kind = 'session.sign_in_failed'`, [
      workspaceId,
    ])
  ).rowCount;

test('a failed sign-in is logged also if its client disconnects first, before the service has stopped', async () => {
  const { email, workspaceId } = await dashboard.bootstrap();
  const { closed } = await inTransaction(pool, async (holder) => {
    await holder.query('lock table users in access exclusive mode');
    const client = await sendTo(signIn(email));
    await expect.poll(() => waitingForLocks(pool)).toBe(1);
    await client.disconnect();
    return { closed: client.close() };
  });
  await closed;
  expect(await failures(workspaceId)).toBe(1);
});

test('a sign-in that breaks off in its body does not delay the end of the service', async () => {
  const { email, workspaceId } = await dashboard.bootstrap();
  const client = await sendTo(signIn(email).slice(0, -5));
  await client.arrived;
  await client.disconnect();
  await client.close();
  expect(await failures(workspaceId)).toBe(0);
});
