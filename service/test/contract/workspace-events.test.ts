import type { Change } from '@svc/sdk';
import { createRounds } from '@svc/turns/rounds';
import { beforeAll, expect, test } from 'vitest';
import { addWorkspaceEvent } from '../../src/changes/events.ts';
import { noticeQuotas } from '../../src/changes/publish-events.ts';
import { createTestDashboard } from '../harness/dashboard.ts';
import { importText } from '../harness/import.ts';
import { createTestService, TEST_ACTOR, type TestService } from '../harness/service.ts';
import { expectContract, publishEvents } from './workspace-event.ts';

let service: TestService;
beforeAll(async () => {
  service = await createTestService();
});

/** The workspace events of the feed, oldest first. Each has the record that the contract says. */
async function eventsOf(token: string): Promise<readonly Change[]> {
  const answer = await service.request(token, '/v1/changes?resource=workspace&sort=created-ascending');
  const { data } = answer.json<{ data: readonly Change[] }>();
  for (const event of data) expectContract(event);
  return data;
}

test('a key is in the feed when it is created, rotated and revoked, as the list of keys shows it', async () => {
  const workspaceId = await service.workspace();
  const { keyId, token: before } = await service.issue(workspaceId);
  await publishEvents(service.pool);
  const [created] = await eventsOf(before);
  expect(created).toMatchObject({
    type: 'key.created',
    resource: 'workspace',
    recordId: keyId,
    companyId: null,
    record: { id: keyId, revokedAt: null },
  });
  await service.keys.rotate(workspaceId, keyId, TEST_ACTOR);
  await service.keys.revoke(workspaceId, keyId, TEST_ACTOR);
  const token = await service.token(workspaceId);
  expect(await publishEvents(service.pool)).toEqual([workspaceId]);
  const events = await eventsOf(token);
  expect(events.map(({ type }) => type)).toEqual([
    'key.created',
    'key.rotated',
    'key.revoked',
    'key.created',
  ]);
  const key = (await service.request(token, `/v1/api-keys/${keyId}`)).json<{ revokedAt: string }>();
  expect(events[2]?.record).toMatchObject({ revokedAt: key.revokedAt });
  expect(JSON.stringify(events)).not.toContain(before);
});

test('a workspace that is being removed delays the events of no other', async () => {
  const [removed, workspaceId] = [await service.workspace(), await service.workspace()];
  await service.issue(removed);
  await service.issue(workspaceId);
  await service.pool.query('delete from workspace_clocks where workspace_id = $1', [removed]);
  expect(await publishEvents(service.pool)).toEqual([workspaceId]);
});

test('the quota is in the feed once at 80 and once at 100 percent, and again after it was changed', async () => {
  const workspaceId = await service.workspace();
  const token = await service.token(workspaceId, { mode: 'test' });
  const use = (used: number, quota: number) =>
    service.pool.query(
      `update live_meters set live_quota = $2, live_requests = $3, month = date_trunc('month', now()) where workspace_id = $1`,
      [workspaceId, quota, used],
    );
  const percents = async () => {
    await noticeQuotas(service.pool);
    await publishEvents(service.pool);
    return (await eventsOf(token)).flatMap(({ type, record }) =>
      type === 'quota.reached' ? [[record['percent'], record['limit'], record['used']]] : [],
    );
  };
  await use(79, 100);
  expect(await percents()).toEqual([]);
  await use(80, 100);
  expect(await percents()).toEqual([[80, 100, 80]]);
  await use(99, 100);
  expect(await percents()).toHaveLength(1);
  await use(100, 100);
  expect(await percents()).toHaveLength(2);
  await use(170, 200);
  expect((await percents()).at(-1)).toEqual([80, 200, 170]);
  await use(170, 150);
  expect((await percents()).slice(-2)).toEqual([
    [80, 150, 150],
    [100, 150, 150],
  ]);
});

test('an import is in the feed when it has ended, with what it has added and left out', async () => {
  const workspaceId = await service.workspace();
  const token = await service.token(workspaceId, { mode: 'test' });
  const file = ['com_a', 'com_b'].map((id) => JSON.stringify({ id, name: id })).join('\n');
  await importText(service.pool, workspaceId, 'companies', file);
  const third = JSON.stringify({ id: 'com_c', name: 'C' });
  await importText(service.pool, workspaceId, 'companies', `${file}\n${third}\n{}`);
  await publishEvents(service.pool);
  const imports = (await eventsOf(token)).filter(({ type }) => type === 'import.finished');
  const counts = { resource: 'companies', finished: true };
  expect(imports.map(({ record }) => record)).toMatchObject([
    { ...counts, added: 2, existing: 0, refused: 0 },
    { ...counts, added: 1, existing: 2, refused: 1 },
  ]);
});

test('an upload that adds nothing is finished, and is not in the feed', async () => {
  const owner = await createTestDashboard(service).owner();
  const upload = (key: string) =>
    owner.send('POST', `/workspaces/${owner.workspaceId}/imports/companies`, undefined, {
      payload: JSON.stringify({ id: 'com_a', name: 'A' }),
      headers: { 'content-type': 'application/x-ndjson', 'idempotency-key': key },
    });
  const answers = [await upload('import-1'), await upload('import-2'), await upload('import-2')];
  expect(answers.map(({ status, json }) => [status, json<{ inserted: number }>().inserted])).toEqual([
    [201, 1],
    [201, 0],
    [200, 0],
  ]);
  await publishEvents(service.pool);
  const token = await service.token(owner.workspaceId, { mode: 'test' });
  const imports = (await eventsOf(token)).filter(({ type }) => type === 'import.finished');
  expect(imports.map(({ record }) => record)).toMatchObject([{ added: 1, existing: 0, refused: 0 }]);
});

test('a workspace whose clock is locked delays neither the others nor the revocation of its keys', async () => {
  const [locked, free] = [await service.workspace(), await service.workspace()];
  const { keyId } = await service.issue(locked);
  await publishEvents(service.pool);
  const token = await service.token(locked, { mode: 'test' });
  const client = await service.pool.connect();
  try {
    await client.query('begin');
    await client.query('select from workspace_clocks where workspace_id = $1 for update', [locked]);
    await service.keys.revoke(locked, keyId, TEST_ACTOR);
    await service.issue(free);
    expect(await publishEvents(service.pool)).toEqual([free]);
    await client.query('rollback');
  } finally {
    client.release();
  }
  expect(await publishEvents(service.pool)).toEqual([locked]);
  expect((await eventsOf(token)).map(({ type }) => type)).toEqual([
    'key.created',
    'key.created',
    'key.revoked',
  ]);
});

/** An event with an entry in the audit log. */
const addDisabledEndpoint = (workspaceId: string) =>
  addWorkspaceEvent(service.pool, workspaceId, {
    type: 'endpoint.disabled',
    recordId: 'whe_1',
    companyId: null,
    record: { id: 'whe_1', origin: 'https://example.com', reason: 'gone' },
  });

test('a workspace whose audit log is locked by others delays the events of no other', async () => {
  const [locked, free] = [await service.workspace(), await service.workspace()];
  await addDisabledEndpoint(locked);
  await service.issue(free);
  const client = await service.pool.connect();
  try {
    await client.query('begin');
    await client.query('select from live_meters where workspace_id = $1 for update', [locked]);
    expect(await publishEvents(service.pool)).toEqual([free]);
    await client.query('rollback');
  } finally {
    client.release();
  }
  expect(await publishEvents(service.pool)).toEqual([locked]);
});

test('a workspace whose audit log refuses entries stops the events of no other, and the failure is seen', async () => {
  const [failing, free] = [await service.workspace(), await service.workspace()];
  await addDisabledEndpoint(failing);
  await service.issue(free);
  const setClock = (time: string) =>
    service.pool.query(`update live_meters set last_entry_at = ${time} where workspace_id = $1`, [failing]);
  await setClock(`now() + interval '10 years'`);
  const failures: unknown[] = [];
  expect(await publishEvents(service.pool, (error, id) => failures.push([id, error]))).toEqual([free]);
  expect(failures).toEqual([[failing, expect.objectContaining({ code: '23514' })]]);
  await setClock('now()');
  expect(await publishEvents(service.pool)).toEqual([failing]);
});

test('many workspaces whose events fail hold up no other, and their events come in order when they can', async () => {
  const { pool } = service;
  const failing: string[] = [];
  for (let i = 0; i < 250; i++) failing.push(await service.workspace());
  const token = await service.token(failing[0] ?? '', { mode: 'test' });
  await publishEvents(pool);
  await pool.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger refuse before delete on pending_events for each row when (old.id like 'refused%') execute function refuse()`);
  await pool.query(
    `insert into pending_events (workspace_id, id, type, record_id, doc, created_at)
     select id, 'refused' || n, 'quota.reached', id, json_build_object('percent', 80, 'limit', 9, 'used', n, 'month', '2026-03'),
       now() - interval '1 day' + n * interval '1 second' from unnest($1::text[]) as id, generate_series(3, 1, -1) as n`,
    [failing],
  );
  let nowMs = 0;
  const nodes = [0, 1].map(() => createRounds(() => nowMs));
  const failures: unknown[] = [];
  const publish = async () =>
    (
      await Promise.all(nodes.map((rounds) => publishEvents(pool, (_, id) => failures.push(id), rounds)))
    ).flat();
  const free = await service.workspace();
  for (let i = 0; i < 3; i++) {
    await service.issue(free);
    expect(await publish()).toContain(free);
    const { length } = failures;
    // Those that fail rest.
    expect(await publish()).toEqual([]);
    expect(failures).toHaveLength(length);
    nowMs += 1_000 * 2 ** i;
  }
  await pool.query('drop trigger refuse on pending_events; drop function refuse');
  nowMs += 60_000;
  const published = await publish();
  expect(published.toSorted()).toEqual(failing.toSorted());
  expect((await eventsOf(token)).slice(1).map(({ record }) => Object(record).used)).toEqual([1, 2, 3]);
});

test('each event gets into the feed once, although several nodes publish', async () => {
  const workspaceId = await service.workspace();
  const token = await service.token(workspaceId, { mode: 'test' });
  for (let i = 0; i < 20; i++) await service.issue(workspaceId);
  await Promise.all(Array.from({ length: 4 }, () => publishEvents(service.pool)));
  await publishEvents(service.pool);
  const ids = (await eventsOf(token)).map(({ recordId }) => recordId);
  expect(ids).toHaveLength(21);
  expect(new Set(ids).size).toBe(21);
});
