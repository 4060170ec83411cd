import { expect, test } from 'vitest';
import { CHANGES_SEARCHED_MAX } from '../../src/changes/rows.ts';
import { WAIT_READ_PAUSE_MS } from '../../src/config/limits.ts';
import type { OneDelivery } from '../../src/webhooks/wire.ts';
import { publishEvents } from '../contract/workspace-event.ts';
import { seedChanges } from '../harness/records.ts';
import { managed } from '../harness/webhooks/managed.ts';
import {
  deliveriesOf,
  makeDue,
  newEngine,
  pool,
  type Receiver,
  startReceiver,
} from '../harness/webhooks/world.ts';

/** Events that an endpoint has got or waits for, and that its settings leave out later. */

const LEFT_OUT = 'The settings of the endpoint leave it out now.';

/** The types of the events that have arrived, with the name of their record. */
const arrivedAt = ({ received }: Receiver): readonly string[] =>
  received
    .map(({ body }) => JSON.parse(body))
    .map(({ type, data }) => `${type} ${data.record.name ?? ''}`.trim())
    .toSorted();

test.each<[what: string, settings: (companyId: string) => object, sent: readonly string[]]>([
  ['company', (companyId) => ({ companyId }), ['company.created A', 'company.updated C', 'endpoint.test']],
  ['types', () => ({ types: ['company.updated'] }), ['company.updated C', 'endpoint.test']],
  [
    'URL only',
    () => ({}),
    ['company.created A', 'company.created B', 'company.updated C', 'endpoint.test', 'key.created test'],
  ],
])('an endpoint with another %s gets what waits if its settings do not leave it out', async (...row) => {
  const [_, settings, sent] = row;
  const { owner, workspaceId, path, writer, create, change } = await managed();
  const failing = await startReceiver((response) => response.writeHead(500).end('busy'));
  const { endpoint } = await create({ url: failing.url, ordered: false });
  // The creation of the writer's key, an event without a company.
  await publishEvents(pool);
  const engine = newEngine();
  const company = await writer.createCompany('A');
  await writer.createCompany('B');
  await writer.send('PATCH', `/v1/companies/${company}`, { name: 'C' });
  await expect.poll(() => deliveriesOf(endpoint.id)).toHaveLength(4);
  await engine.stop();
  expect((await owner.send('POST', `${path}/${endpoint.id}/test`, {})).status).toBe(202);

  const receiver = await startReceiver();
  await change(endpoint.id, { url: receiver.url, ...settings(company) });
  const failed = (await deliveriesOf(endpoint.id)).filter(({ state }) => state === 'failed');
  expect(failed).toHaveLength(5 - sent.length);
  for (const one of failed)
    expect(one).toMatchObject({ attempts: 1, status: null, response: null, failure: LEFT_OUT });
  await makeDue(workspaceId);
  newEngine();
  // What was left out would have been due before this one.
  await writer.send('PATCH', `/v1/companies/${company}`, { name: 'last' });
  await expect.poll(() => arrivedAt(receiver)).toContain('company.updated last');
  await expect.poll(() => arrivedAt(receiver)).toEqual([...sent, 'company.updated last'].toSorted());
});

test('an endpoint with another company is sent no event again that its settings leave out', async () => {
  const { owner, path, workspaceId, writer, create, change } = await managed();
  let status = 200;
  const receiver = await startReceiver((response) => response.writeHead(status).end());
  const { endpoint } = await create({ url: receiver.url, ordered: false });
  const engine = newEngine();
  const [a, b] = [await writer.createCompany('A'), await writer.createCompany('B')];
  await expect.poll(() => deliveriesOf(endpoint.id)).toMatchObject([{ status }, { status }]);
  status = 500;
  for (const id of [a, b]) await writer.send('PATCH', `/v1/companies/${id}`, { name: 'new' });
  await expect.poll(() => deliveriesOf(endpoint.id)).toHaveLength(4);
  await engine.stop();
  await pool.query(
    `update webhook_deliveries set state = 'failed', next_attempt_at = null where workspace_id = $1 and state = 'pending'`,
    [workspaceId],
  );
  await change(endpoint.id, { companyId: a });
  const deliveries = `${path}/${endpoint.id}/deliveries`;
  const [ofA, ofB, , failedOfB] = await deliveriesOf(endpoint.id);
  for (const one of [ofB, failedOfB]) {
    const answer = await owner.send('POST', `${deliveries}/${one?.event_id}/replay`, {});
    expect([answer.status, answer.json()]).toMatchObject([
      409,
      { error: { code: 'conflict', message: expect.stringContaining('leave this event out') } },
    ]);
    // Owners and admins still see what was sent.
    const { delivery } = (await owner.send('GET', `${deliveries}/${one?.event_id}`)).json<OneDelivery>();
    expect(delivery.request).toContain(b);
  }
  expect((await owner.send('POST', `${deliveries}/${ofA?.event_id}/replay`, {})).status).toBe(202);
  const answer = await owner.send('POST', `${path}/${endpoint.id}/replay`, { failed: true });
  expect(answer.json()).toEqual({ replayed: 1 });

  status = 200;
  const before = receiver.received.length;
  newEngine();
  await expect
    .poll(async () => (await deliveriesOf(endpoint.id)).map(({ state }) => state))
    .toEqual(['delivered', 'delivered', 'delivered', 'failed']);
  for (const { body } of receiver.received.slice(before)) expect(body).not.toContain(b);
  // With all companies, it is sent again.
  await change(endpoint.id, { companyId: null });
  expect((await owner.send('POST', `${deliveries}/${failedOfB?.event_id}/replay`, {})).status).toBe(202);
});

test('an endpoint whose settings leave out what it reads pauses before it reads on', async () => {
  const { workspaceId, create } = await managed();
  const receiver = await startReceiver();
  await create({ url: receiver.url, types: ['content.deleted'] });
  const deletion = (type: string) => ({ type, recordId: 'one', companyId: 'com_1', doc: null });
  const reads = 10;
  const leftOut = Array.from({ length: reads * CHANGES_SEARCHED_MAX }, () => deletion('company.deleted'));
  await seedChanges(pool, workspaceId, [...leftOut, deletion('content.deleted')]);
  const startMs = performance.now();
  newEngine();
  await expect.poll(() => receiver.received.length).toBe(1);
  // A timer may be up to a millisecond early.
  expect((receiver.received[0]?.atMs ?? 0) - startMs).toBeGreaterThan(reads * (WAIT_READ_PAUSE_MS - 1));
});
