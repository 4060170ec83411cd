import { expect, test } from 'vitest';
import { inTransaction } from '../../src/database/pool.ts';
import { readFigures } from '../../src/jobs/figures.ts';
import { PENDING_RESET_MAX } from '../../src/webhooks/manage.ts';
import { addTestDelivery } from '../../src/webhooks/replay.ts';
import { expectContract, publishEvents } from '../contract/workspace-event.ts';
import { managed } from '../harness/webhooks/managed.ts';
import {
  deliveriesOf,
  endpointRow,
  makeDue,
  newEndpoint,
  newEngine,
  newWriter,
  pool,
  startReceiver,
} from '../harness/webhooks/world.ts';

/** Adds events that an endpoint has failed to get once. A later one has a later id, and its next attempt is due earlier. */
const addPending = (workspaceId: string, id: string, count: number, firstDue: string) =>
  pool.query(
    `insert into webhook_deliveries (workspace_id, endpoint_id, event_id, type, state, attempts, duration_ms, attempted_at,
       next_attempt_at, body)
     select $1, $2, 'old_' || lpad(number::text, 4, '0'), 'company.created', 'pending', 1, 0, now(),
       now() + $4::interval - number * interval '1 microsecond', 'old'
     from generate_series(1, $3::int) as number`,
    [workspaceId, id, count, firstDue],
  );

test('410 disables an endpoint at once', async () => {
  const writer = await newWriter();
  const receiver = await startReceiver((response) => response.writeHead(410).end());
  const { id } = await newEndpoint(writer.workspaceId, { url: receiver.url, ordered: false });
  newEngine();
  await writer.createCompany('A');
  await expect.poll(() => endpointRow(id)).toMatchObject({ enabled: false, disabled_reason: 'gone' });
  await writer.createCompany('B');
  expect(await deliveriesOf(id)).toMatchObject([{ state: 'pending', status: 410 }]);
});

test('the figures of pending webhooks leave out those of an endpoint that is disabled', async () => {
  const before = await readFigures(pool);
  const writer = await newWriter();
  const gone = await startReceiver((response) => response.writeHead(410).end());
  const failing = await startReceiver((response) => response.writeHead(500).end());
  const disabled = await newEndpoint(writer.workspaceId, { url: gone.url });
  const enabled = await newEndpoint(writer.workspaceId, { url: failing.url });
  newEngine();
  await writer.createCompany('A');
  await expect.poll(() => endpointRow(disabled.id)).toMatchObject({ enabled: false });
  for (const { id } of [disabled, enabled])
    await expect.poll(() => deliveriesOf(id)).toMatchObject([{ state: 'pending' }]);
  const { pendingDeliveries } = await readFigures(pool);
  expect(Number(pendingDeliveries) - Number(before.pendingDeliveries)).toBe(1);
});

test('the other endpoints of the workspace get the event that an endpoint was disabled', async () => {
  const writer = await newWriter();
  const gone = await startReceiver((response) => response.writeHead(410).end());
  const other = await startReceiver();
  // Its path may contain a token.
  const { id } = await newEndpoint(writer.workspaceId, { url: `${gone.url}/token` });
  await newEndpoint(writer.workspaceId, { url: other.url, types: ['endpoint.disabled'] });
  newEngine();
  await writer.createCompany('A');
  await expect.poll(() => endpointRow(id)).toMatchObject({ enabled: false });
  expect(await publishEvents(pool)).toContain(writer.workspaceId);
  await expect.poll(() => other.received.length).toBe(1);
  const { type, data } = JSON.parse(other.received[0]?.body ?? '');
  expectContract(data);
  expect([type, data.record]).toEqual([
    'endpoint.disabled',
    { id, origin: new URL(gone.url).origin, reason: 'gone' },
  ]);
});

test('after ten attempts, an ordered endpoint is disabled and keeps the event, and an unordered one marks it as failed', async () => {
  const writer = await newWriter();
  const receiver = await startReceiver((response) => response.writeHead(500).end());
  const ordered = await newEndpoint(writer.workspaceId, { url: receiver.url });
  const unordered = await newEndpoint(writer.workspaceId, { url: receiver.url, ordered: false });
  newEngine();
  await writer.createCompany('A');
  for (let attempts = 1; attempts < 10; attempts += 1) {
    for (const { id } of [ordered, unordered]) {
      await expect.poll(() => deliveriesOf(id)).toMatchObject([{ state: 'pending', attempts }]);
    }
    await makeDue(writer.workspaceId);
  }
  await expect
    .poll(() => endpointRow(ordered.id))
    .toMatchObject({ enabled: false, disabled_reason: 'exhausted' });
  expect(await deliveriesOf(ordered.id)).toMatchObject([{ state: 'pending', attempts: 10 }]);
  await expect
    .poll(() => deliveriesOf(unordered.id))
    .toMatchObject([{ state: 'failed', attempts: 10, pause: null }]);
  expect(await endpointRow(unordered.id)).toMatchObject({ enabled: true });
  await makeDue(writer.workspaceId);
  expect(receiver.received).toHaveLength(20);
});

test('an endpoint is disabled when every attempt has failed for five days', async () => {
  const writer = await newWriter();
  const receiver = await startReceiver((response) => response.writeHead(500).end());
  const { id } = await newEndpoint(writer.workspaceId, { url: receiver.url, ordered: false });
  newEngine();
  await writer.createCompany('A');
  await expect.poll(() => endpointRow(id)).toMatchObject({ failing: true });
  const age = (days: string) =>
    pool.query(`update webhook_endpoints set failing_since = now() - $2::interval where id = $1`, [id, days]);
  await age('4 days 23 hours');
  await writer.createCompany('B');
  await expect.poll(() => deliveriesOf(id)).toHaveLength(2);
  expect(await endpointRow(id)).toMatchObject({ enabled: true });
  await age('5 days 1 minute');
  await writer.createCompany('C');
  await expect.poll(() => endpointRow(id)).toMatchObject({ enabled: false, disabled_reason: 'failing' });
});

test('an endpoint whose position the feed no longer has is disabled and skips nothing', async () => {
  const writer = await newWriter();
  const receiver = await startReceiver();
  const { id } = await newEndpoint(writer.workspaceId, { url: receiver.url });
  await writer.createCompany('A');
  await pool.query(
    `insert into feed_starts (workspace_id, complete_after) select workspace_id, last_at from workspace_clocks where workspace_id = $1
     on conflict (workspace_id) do update set complete_after = excluded.complete_after`,
    [writer.workspaceId],
  );
  newEngine();
  await expect.poll(() => endpointRow(id)).toMatchObject({ enabled: false, disabled_reason: 'expired' });
  expect(receiver.received).toEqual([]);
});

test('an unordered endpoint with 1,000 events to be sent again gets no further change until some are done', async () => {
  const writer = await newWriter();
  const receiver = await startReceiver();
  const { id } = await newEndpoint(writer.workspaceId, { url: receiver.url, ordered: false });
  await addPending(writer.workspaceId, id, 1000, '1 hour');
  newEngine();
  await writer.createCompany('A');
  const { id: other } = await newEndpoint(writer.workspaceId, { url: (await startReceiver()).url });
  await writer.createCompany('B');
  await expect.poll(() => deliveriesOf(other)).toHaveLength(1);
  expect(receiver.received).toEqual([]);
  await pool.query(`delete from webhook_deliveries where endpoint_id = $1 and event_id = 'old_0001'`, [id]);
  await writer.createCompany('C');
  await expect.poll(() => receiver.received.length).toBe(3);
});

test('an unordered endpoint gets a test event before the events that are sent again', async () => {
  const { workspaceId } = await newWriter();
  const receiver = await startReceiver();
  const { id } = await newEndpoint(workspaceId, { url: receiver.url, ordered: false });
  await addPending(workspaceId, id, 20, '-1 hour');
  const event = { eventId: 'evt_test', createdAt: new Date().toISOString(), body: Buffer.from('{}') };
  await inTransaction(pool, (client) => addTestDelivery(client, { workspaceId, id }, event));
  newEngine();
  await expect.poll(() => receiver.received.length).toBe(21);
  expect(receiver.received[0]?.id).toBe('evt_test');
});

test('enabling an ordered endpoint gives the event that blocks it all attempts again, however many wait', async () => {
  const { workspaceId, create, change } = await managed();
  const { endpoint } = await create({ url: 'https://example.com' });
  await addPending(workspaceId, endpoint.id, PENDING_RESET_MAX + 1, '1 hour');
  await change(endpoint.id, { enabled: false });
  await change(endpoint.id, { enabled: true });
  expect((await deliveriesOf(endpoint.id))[0]).toMatchObject({ event_id: 'old_0001', attempts: 0 });
});
