import { expect, test } from 'vitest';
import { removeDeletedEndpoints } from '../../src/webhooks/deleted.ts';
import { publishEvents } from '../contract/workspace-event.ts';
import { managed } from '../harness/webhooks/managed.ts';
import { deliveriesOf, endpointRow, newEngine, pool, startReceiver } from '../harness/webhooks/world.ts';

/** Makes the feed look as if it no longer had the changes so far. */
const expireFeed = (workspaceId: string) =>
  pool.query(
    `insert into feed_starts (workspace_id, complete_after) select workspace_id, last_at from workspace_clocks where workspace_id = $1
     on conflict (workspace_id) do update set complete_after = excluded.complete_after`,
    [workspaceId],
  );

test('an endpoint that a person disables gets nothing, and continues at its position when it is enabled', async () => {
  const { writer, create, change } = await managed();
  const receiver = await startReceiver();
  const { endpoint } = await create({ url: receiver.url });
  newEngine();
  await writer.createCompany('A');
  await expect.poll(() => deliveriesOf(endpoint.id)).toHaveLength(1);
  const disabled = await change(endpoint.id, { enabled: false });
  expect(disabled).toMatchObject({ enabled: false, disabled: { reason: 'person', at: disabled.updatedAt } });
  await writer.createCompany('B');
  expect(await change(endpoint.id, { enabled: true })).toMatchObject({ enabled: true, disabled: null });
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(2);
  expect(receiver.received.map(({ body }) => JSON.parse(body).data.record.name)).toEqual(['A', 'B']);
});

test.each([
  ['delivers', 'company.created'],
  ['leaves out', 'company.deleted'],
])(
  'a change is delivered if its type was added during a round that %s the changes before it',
  async (_, type) => {
    const { writer, create, change } = await managed();
    const receiver = await startReceiver();
    const { endpoint } = await create({ url: receiver.url, types: [type] });
    newEngine();
    await expect.poll(() => endpointRow(endpoint.id)).toMatchObject({ lease_owner: expect.any(String) });
    // The round waits after it has read the settings, and before it reads the changes.
    const client = await pool.connect();
    await client.query('begin; lock table webhook_deliveries');
    const company = await writer.createCompany('A');
    const waiting = `select 1 from pg_locks where relation = 'webhook_deliveries'::regclass and not granted`;
    await expect.poll(async () => (await pool.query(waiting)).rowCount).toBe(1);
    // It has changed the endpoint before it waits too.
    const changed = change(endpoint.id, { types: [type, 'company.updated'] });
    await expect.poll(async () => (await pool.query(waiting)).rowCount).toBe(2);
    await writer.send('PATCH', `/v1/companies/${company}`, { name: 'B' });
    await client.query('commit');
    client.release();
    await changed;
    await expect
      .poll(() => receiver.received.map(({ body }) => JSON.parse(body).type))
      .toContain('company.updated');
    const newest = (await writer.changes()).at(-1)?.id;
    await expect
      .poll(() => deliveriesOf(endpoint.id))
      .toContainEqual(expect.objectContaining({ event_id: newest, state: 'delivered', attempts: 1 }));
  },
);

test('an endpoint that the service has disabled is taken up at once when it is enabled, with all attempts ahead', async () => {
  const { workspaceId, writer, create, change, entries } = await managed();
  let status = 410;
  const receiver = await startReceiver((response) => response.writeHead(status).end());
  const { endpoint } = await create({ url: receiver.url });
  newEngine();
  await writer.createCompany('A');
  await expect.poll(() => endpointRow(endpoint.id)).toMatchObject({ enabled: false });
  await publishEvents(pool);
  expect(await entries('webhook.disabled')).toMatchObject([
    {
      actor: null,
      targetId: endpoint.id,
      targetLabel: new URL(receiver.url).origin,
      details: { reason: 'gone' },
    },
  ]);
  // A second call finds nothing more.
  await publishEvents(pool);
  expect(await entries('webhook.disabled')).toHaveLength(1);
  await pool.query('update webhook_deliveries set attempts = 9 where workspace_id = $1', [workspaceId]);
  status = 500;
  await change(endpoint.id, { enabled: true });
  await expect
    .poll(() => deliveriesOf(endpoint.id))
    .toMatchObject([{ state: 'pending', attempts: 1, status: 500 }]);
  expect(await endpointRow(endpoint.id)).toMatchObject({ enabled: true, disabled_reason: null });
});

test('after its position has expired, an endpoint continues with the next changes', async () => {
  const { workspaceId, writer, create, change } = await managed();
  const receiver = await startReceiver();
  const { endpoint } = await create({ url: receiver.url });
  await writer.createCompany('lost');
  await expireFeed(workspaceId);
  newEngine();
  await expect.poll(() => endpointRow(endpoint.id)).toMatchObject({ disabled_reason: 'expired' });
  await change(endpoint.id, { enabled: true });
  await writer.createCompany('next');
  await expect.poll(() => receiver.received.length).toBe(1);
  expect(JSON.parse(receiver.received[0]?.body ?? '').data.record.name).toBe('next');
});

test('an endpoint whose position the feed no longer has gets everything since a time, and then what follows', async () => {
  const { owner, path, workspaceId, writer, create, change } = await managed();
  const receiver = await startReceiver();
  const { endpoint } = await create({ url: receiver.url });
  await writer.createCompany('lost');
  await expireFeed(workspaceId);
  newEngine();
  await expect.poll(() => endpointRow(endpoint.id)).toMatchObject({ disabled_reason: 'expired' });
  for (const name of ['one', 'two', 'three']) await writer.createCompany(name);
  const feed = (await writer.changes()).slice(-3);
  for (const at of [1, 2])
    expect(
      await owner.send('POST', `${path}/${endpoint.id}/replay`, { since: feed[at]?.createdAt }),
    ).toMatchObject({ status: 202 });
  await change(endpoint.id, { enabled: true });
  await writer.createCompany('next');
  await expect.poll(() => receiver.received.length).toBe(3);
  const names = receiver.received.map(({ body }) => JSON.parse(body).data.record.name);
  expect(names).toEqual(['two', 'three', 'next']);
});

test('an event that waits for its last attempt has all attempts ahead after a replay', async () => {
  const { owner, path, workspaceId, writer, create } = await managed();
  const receiver = await startReceiver((response) => response.writeHead(500).end());
  const { endpoint } = await create({ url: receiver.url });
  newEngine();
  await writer.createCompany('A');
  await expect.poll(() => deliveriesOf(endpoint.id)).toMatchObject([{ state: 'pending', attempts: 1 }]);
  await pool.query('update webhook_deliveries set attempts = 9 where workspace_id = $1', [workspaceId]);
  const answer = await owner.send(
    'POST',
    `${path}/${endpoint.id}/deliveries/${receiver.received[0]?.id}/replay`,
  );
  expect(answer).toMatchObject({ status: 202 });
  await expect.poll(() => receiver.received.length).toBe(2);
  await expect
    .poll(() => deliveriesOf(endpoint.id))
    .toMatchObject([{ state: 'pending', attempts: 1, status: 500 }]);
  expect(await endpointRow(endpoint.id)).toMatchObject({ enabled: true });
});

test('a delivery is sent at once if its last attempt was while the clock was ahead', async () => {
  const { workspaceId, writer, create } = await managed();
  let status = 500;
  const receiver = await startReceiver((response) => response.writeHead(status).end());
  const { endpoint } = await create({ url: receiver.url });
  newEngine();
  await writer.createCompany('A');
  await expect.poll(() => deliveriesOf(endpoint.id)).toMatchObject([{ state: 'pending', attempts: 1 }]);
  status = 200;
  await pool.query(
    `update webhook_deliveries set attempted_at = attempted_at + interval '1 day', next_attempt_at = now() + interval '1 day'
     where workspace_id = $1`,
    [workspaceId],
  );
  await writer.createCompany('B');
  await expect.poll(() => receiver.received.length).toBe(3);
  const names = receiver.received.map(({ body }) => JSON.parse(body).data.record.name);
  expect(names).toEqual(['A', 'A', 'B']);
});

test.each(['stays enabled', 'is enabled again'])(
  'an endpoint that %s gets changes if a node was killed with its lease while the clock was ahead',
  async (what) => {
    const { workspaceId, writer, create, change } = await managed();
    const receiver = await startReceiver();
    const { endpoint } = await create({ url: receiver.url });
    if (what === 'is enabled again') await change(endpoint.id, { enabled: false });
    await pool.query(
      `update webhook_endpoints set lease_owner = 'killed', lease_until = now() + interval '1 day' where workspace_id = $1`,
      [workspaceId],
    );
    if (what === 'is enabled again') await change(endpoint.id, { enabled: true });
    newEngine();
    await writer.createCompany('A');
    await expect.poll(() => receiver.received.length).toBe(1);
  },
);

test('a replay while an attempt runs gives the event all attempts again', async () => {
  const { owner, path, workspaceId, writer, create } = await managed();
  const open: (() => void)[] = [];
  let holds = false;
  const receiver = await startReceiver((response) => {
    const end = () => void response.writeHead(500).end();
    if (holds) open.push(end);
    else end();
  });
  const { endpoint } = await create({ url: receiver.url });
  newEngine();
  await writer.createCompany('A');
  await expect.poll(() => deliveriesOf(endpoint.id)).toMatchObject([{ state: 'pending', attempts: 1 }]);
  holds = true;
  await pool.query(
    'update webhook_deliveries set attempts = 4, next_attempt_at = now() where workspace_id = $1',
    [workspaceId],
  );
  await writer.createCompany('B');
  await expect.poll(() => open.length).toBe(1);
  const replay = `${path}/${endpoint.id}/deliveries/${receiver.received[0]?.id}/replay`;
  expect(await owner.send('POST', replay)).toMatchObject({ status: 202 });
  holds = false;
  for (const end of open) end();
  await expect.poll(() => receiver.received.length).toBe(3);
  await expect.poll(() => deliveriesOf(endpoint.id)).toMatchObject([{ state: 'pending', attempts: 1 }]);
});

test('an endpoint can be deleted while a delivery runs, and a job removes its rows', async () => {
  const { owner, path, writer, create } = await managed();
  let finish = (): void => undefined;
  const slow = await startReceiver((response) => {
    finish = () => response.writeHead(204).end();
  });
  const other = await startReceiver();
  const { endpoint } = await create({ url: slow.url });
  const { endpoint: kept } = await create({ url: other.url });
  newEngine();
  await writer.createCompany('A');
  await expect.poll(() => slow.received.length).toBe(1);
  expect((await owner.send('DELETE', `${path}/${endpoint.id}`)).status).toBe(204);
  finish();
  await writer.createCompany('B');
  await expect.poll(() => other.received.length).toBe(2);
  expect((await owner.send('GET', `${path}/${endpoint.id}`)).status).toBe(404);
  await removeDeletedEndpoints(pool);
  expect(await deliveriesOf(endpoint.id)).toEqual([]);
  await expect(endpointRow(endpoint.id)).rejects.toThrow();
  expect(await endpointRow(kept.id)).toMatchObject({ enabled: true });
  expect(slow.received).toHaveLength(1);
});
