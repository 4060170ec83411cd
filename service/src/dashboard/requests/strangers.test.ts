import { expect, test } from 'vitest';
import { createTestDashboard, type Visitor } from '../../../test/harness/dashboard.ts';
import { waitingForLocks } from '../../../test/harness/locks.ts';
import { createTestService, type TestAnswer } from '../../../test/harness/service.ts';
import { newId } from '../../config/ids.ts';

/** Sends many requests of strangers to a workspace, and one request of its member at the same time. */

const FLOOD = 200;
const SESSIONS = 20;
const HERE = '10.8.0.1';
const ELSEWHERE = '10.8.0.2';

/** The most requests that hold a connection: all others wait for a turn. */
const CONNECTIONS_MAX = 20;

/** The statements of the request of the member: for its session, its membership and the members. */
const STATEMENTS = 3;

/** The most requests of strangers that are served before it: each statement waits for those that hold a connection. */
const SERVED_BEFORE_MAX = STATEMENTS * CONNECTIONS_MAX;

/** Long, because the many requests keep the process busy. */
const PATIENCE = { timeout: 60_000 };

const service = await createTestService();
const { pool } = service;
const dashboard = createTestDashboard(service);

type Request = readonly [sender: Visitor, workspaceId: string];
/** Returns the nth request of the strangers. */
type Flood = (n: number) => Request;

const membersOf = (workspaceId: string): string => `/workspaces/${workspaceId}/members`;

const signedIn = async (stranger: Visitor): Promise<readonly Visitor[]> => {
  const sessions: Visitor[] = [];
  while (sessions.length < SESSIONS) sessions.push(await dashboard.signIn(stranger.userId, stranger.email));
  return sessions;
};

const nth = <T>(values: readonly T[], n: number): T => values[n % values.length] as T;

const FLOODS: Readonly<Record<string, (workspaceId: string) => Promise<Flood>>> = {
  'with one session': async (workspaceId) => {
    const stranger = await dashboard.owner();
    return () => [stranger, workspaceId];
  },
  'with many sessions of one account': async (workspaceId) => {
    const sessions = await signedIn(await dashboard.owner());
    for (const session of sessions) expect((await session.send('GET', '/me')).status).toBe(200);
    return (n) => [nth(sessions, n), workspaceId];
  },
  'with sessions that have ended': async (workspaceId) => {
    const stranger = await dashboard.owner();
    const sessions = await signedIn(stranger);
    await pool.query('delete from sessions where user_id = $1', [stranger.userId]);
    return (n) => [nth(sessions, n), workspaceId];
  },
  'with the session of a member that has ended': async (workspaceId) => {
    const leaving = await dashboard.member(workspaceId, 'viewer');
    expect((await leaving.send('GET', membersOf(workspaceId))).status).toBe(200);
    await pool.query('delete from sessions where user_id = $1', [leaving.userId]);
    return () => [leaving, workspaceId];
  },
  'at workspaces that do not exist': async () => {
    const stranger = await dashboard.owner();
    return () => [stranger, newId('wks')];
  },
  'with two accounts and an ended session': async (workspaceId) => {
    const strangers = [await dashboard.owner(), await dashboard.owner(), await dashboard.owner()];
    await pool.query('delete from sessions where user_id = $1', [strangers[0]?.userId]);
    return (n) => [nth(strangers, n), workspaceId];
  },
};

/** How many requests wait for a turn of a connection. */
async function waitingForTurns(): Promise<number> {
  const { body } = await service.app.inject('/metrics');
  const counts = [...body.matchAll(/^svc_database_waiting_requests\{.*\} (\d+)$/gm)];
  expect(counts).not.toEqual([]);
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

test.each([
  ...Object.keys(FLOODS).map((flood) => ({ flood, place: 'the same network', address: HERE, count: FLOOD })),
  { flood: 'with sessions that have ended', place: 'another network', address: ELSEWHERE, count: FLOOD },
  // More requests than may wait for a turn.
  { flood: 'with one session', place: 'the same network', address: HERE, count: 1_400 },
  { flood: 'with two accounts and an ended session', place: 'the same network', address: HERE, count: 2_400 },
])(
  '$count requests of a stranger $flood neither delay a member in $place nor cost the member a 503',
  async ({ flood, address, count }) => {
    const member = await dashboard.owner();
    const path = membersOf(member.workspaceId);
    const read = (): Promise<TestAnswer> => member.send('GET', path, undefined, { remoteAddress: address });
    expect((await read()).status).toBe(200);
    const request = await FLOODS[flood]?.(member.workspaceId);
    const holder = await pool.connect();
    let answered = 0;
    let strangers: readonly Promise<unknown>[] = [];
    try {
      await holder.query('begin');
      await holder.query('set local idle_in_transaction_session_timeout = 0');
      await holder.query('lock table sessions in access exclusive mode');
      strangers = Array.from({ length: count }, async (_, n) => {
        const [sender, workspaceId] = request?.(n) ?? [member, ''];
        await sender.send('GET', membersOf(workspaceId), undefined, { remoteAddress: HERE });
        answered += 1;
      });
      await expect.poll(() => waitingForLocks(pool), PATIENCE).toBeGreaterThan(0);
      // All of them have arrived, so that the request of the member does not wait behind their arrival.
      await expect
        .poll(async () => answered + (await waitingForTurns()), PATIENCE)
        .toBeGreaterThanOrEqual(count - CONNECTIONS_MAX);
      const reading = read();
      const before = answered;
      await holder.query('rollback');
      expect((await reading).status).toBe(200);
      expect(answered - before).toBeLessThan(SERVED_BEFORE_MAX);
    } finally {
      await holder.query('rollback');
      holder.release();
      await Promise.all(strangers);
    }
  },
  120_000,
);
