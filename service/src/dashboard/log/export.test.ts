import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { expectFailure } from '../../../test/harness/answers.ts';
import { createTestDashboard, type Visitor } from '../../../test/harness/dashboard.ts';
import { resourceNamed, seedRecords } from '../../../test/harness/records.ts';
import { createTestService } from '../../../test/harness/service.ts';

const service = await createTestService();
const { pool } = service;
const dashboard = createTestDashboard(service);
const owner = await dashboard.owner();
const { workspaceId } = owner;
const viewer = () => dashboard.member(workspaceId, 'viewer');
const exportBy = ({ send }: Visitor) => send('GET', `/workspaces/${workspaceId}/log/export?format=csv`);

/** Starts exports that wait, to append their entries. Resolves to the answer that does not wait, and then to all. */
async function startTogether(people: readonly Visitor[]) {
  const holder = await pool.connect();
  await holder.query('begin');
  await holder.query('select 1 from live_meters where workspace_id = $1 for update', [workspaceId]);
  const answers = people.map(exportBy);
  const first = await Promise.race(answers);
  await holder.query('rollback');
  holder.release();
  return { first, statuses: (await Promise.all(answers)).map(({ status }) => status).toSorted() };
}

test('a fourth export of the log of a workspace is refused, and allowed once another one has ended', async () => {
  const { first, statuses } = await startTogether([owner, await viewer(), await viewer(), await viewer()]);
  expectFailure(first, 'rate_limited', 'At most 3 exports of this workspace');
  expect(statuses).toEqual([200, 200, 200, 429]);
  await expect.poll(async () => (await exportBy(owner)).status).toBe(200);
});

test('a second export of the same person is refused, and allowed once the other one has ended', async () => {
  const { first, statuses } = await startTogether([owner, owner]);
  expectFailure(first, 'rate_limited', 'At most 1 export of this person');
  expect(statuses).toEqual([200, 429]);
  await expect.poll(async () => (await exportBy(owner)).status).toBe(200);
});

const ENDINGS: Readonly<Record<string, (person: Visitor) => Promise<unknown>>> = {
  'the session has ended': ({ send }) => send('POST', '/auth/sign-out', {}),
  'the person was removed': ({ userId }) => pool.query('delete from members where user_id = $1', [userId]),
  'the workspace was deleted': () => owner.send('DELETE', `/workspaces/${workspaceId}`, { name: 'Test' }),
};

/** More than the buffers of a connection hold. */
const ENTRIES = 1_000;
const USER_AGENT_CHARACTERS = 20_000;

test('an export breaks off when the session has ended, the person was removed or the workspace was deleted', async () => {
  const entries = Array.from({ length: ENTRIES }, (_, index) => ({
    id: `log_seed_${String(index).padStart(4, '0')}`,
    createdAt: new Date(Date.UTC(2026, 2, 1) + index).toISOString(),
    kind: 'api.request',
    userAgent: 'x'.repeat(USER_AGENT_CHARACTERS),
  }));
  await seedRecords(pool, workspaceId, resourceNamed('audit-log'), entries);
  const origin = await service.app.listen({ host: '127.0.0.1', port: 0 });
  for (const [ending, end] of Object.entries(ENDINGS)) {
    const person = await viewer();
    const url = `${origin}/dashboard/api/workspaces/${workspaceId}/log/export?format=ndjson`;
    const [answer] = (await once(get(url, { headers: { cookie: person.cookie } }), 'response')) as [
      IncomingMessage,
    ];
    expect(answer.statusCode).toBe(200);
    // Nobody has read the rest yet.
    await end(person);
    await expect(text(answer), ending).rejects.toThrow('aborted');
  }
});
