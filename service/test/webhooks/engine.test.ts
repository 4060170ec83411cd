import { verifyWebhook } from '@svc/sdk';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { inTransaction } from '../../src/database/pool.ts';
import { addTestDelivery } from '../../src/webhooks/replay.ts';
import {
  deliveriesOf,
  endpointRow,
  makeDue,
  newEndpoint,
  newEngine,
  newWriter,
  pool,
  type Receiver,
  startReceiver,
} from '../harness/webhooks/world.ts';

const idsOf = ({ received }: Receiver): readonly string[] => received.map(({ id }) => id);
const until = (receiver: Receiver, count: number) => expect.poll(() => receiver.received.length).toBe(count);

/** A receiver that answers its first request with `status` when it is released, and the others with 200 at once. */
async function startHoldingReceiver(status: number) {
  let hold: (() => void) | undefined;
  const receiver = await startReceiver((response) => {
    if (hold === undefined) hold = () => response.writeHead(status).end();
    else response.writeHead(200).end();
  });
  return { receiver, release: () => hold?.() };
}

test.each([true, false])(
  'every change is delivered once, signed, as GET /v1/changes shows it (ordered: %s)',
  async (ordered) => {
    const writer = await newWriter();
    const receiver = await startReceiver();
    const { id, secret } = await newEndpoint(writer.workspaceId, { url: receiver.url, ordered });
    newEngine();
    const company = await writer.createCompany('Acme');
    await writer.send('PATCH', `/v1/companies/${company}`, { name: 'Zürich' });
    const content = await writer.send('POST', '/v1/content', { companyId: company, title: 'One' });
    await writer.send('DELETE', `/v1/content/${content}`);
    await until(receiver, 4);
    const changes = await writer.changes();
    expect(changes.map(({ type }) => type)).toEqual([
      'company.created',
      'company.updated',
      'content.created',
      'content.deleted',
    ]);
    const events = await Promise.all(
      receiver.received.map(({ body, headers }) => verifyWebhook(body, headers, secret)),
    );
    for (const { body, headers } of receiver.received) new Webhook(secret).verify(body, headers);
    const sorted = events.toSorted((a, b) => (a.data.id < b.data.id ? -1 : 1));
    expect(sorted).toEqual(
      changes.map((data) => ({ type: data.type, timestamp: Object(data).createdAt, data })),
    );
    if (ordered) expect(events).toEqual(sorted);
    expect(idsOf(receiver).toSorted()).toEqual(changes.map((change) => change.id));
    await expect.poll(async () => (await endpointRow(id)).position).toBe(changes.at(-1)?.id);
    expect(await deliveriesOf(id)).toMatchObject(
      changes.map((change) => ({ event_id: change.id, state: 'delivered', attempts: 1, status: 204 })),
    );
  },
);

test('an endpoint gets only the types and the company that it wants', async () => {
  const writer = await newWriter();
  const [own, other] = [await writer.createCompany('Own'), await writer.createCompany('Other')];
  const receiver = await startReceiver();
  const types = ['content.created', 'content.deleted'];
  await newEndpoint(writer.workspaceId, { url: receiver.url, companyId: own, types });
  newEngine();
  for (const companyId of [other, own]) await writer.send('POST', '/v1/content', { companyId, title: 'One' });
  await writer.createCompany('Third');
  const moved = await writer.send('POST', '/v1/content', { companyId: own, title: 'Two' });
  await writer.send('PATCH', `/v1/content/${moved}`, { companyId: other });
  await until(receiver, 3);
  const events = receiver.received.map(({ body }) => JSON.parse(body));
  // To the company that a record leaves, it is deleted.
  expect(events.map(({ type, data }) => [type, data.companyId])).toEqual([
    ['content.created', own],
    ['content.created', own],
    ['content.deleted', own],
  ]);
});

test('to an ordered endpoint, a failing event holds back the later ones, and is repeated with the same bytes', async () => {
  const writer = await newWriter();
  let failures = 2;
  const receiver = await startReceiver((response) =>
    response.writeHead(failures-- > 0 ? 500 : 200).end('busy'),
  );
  const { id } = await newEndpoint(writer.workspaceId, { url: receiver.url });
  newEngine();
  for (const name of ['A', 'B', 'C']) await writer.createCompany(name);
  await expect.poll(async () => (await deliveriesOf(id)).length).toBe(1);
  expect(await deliveriesOf(id)).toMatchObject([
    { state: 'pending', attempts: 1, status: 500, response: 'busy', pause: 5 },
  ]);
  expect(await endpointRow(id)).toMatchObject({ failing: true });
  await makeDue(writer.workspaceId);
  await expect.poll(async () => (await deliveriesOf(id))[0]?.attempts).toBe(2);
  expect(await deliveriesOf(id)).toMatchObject([{ state: 'pending', pause: 300 }]);
  await makeDue(writer.workspaceId);
  await until(receiver, 5);
  const [first = '', second = '', third = ''] = (await writer.changes()).map((change) => change.id);
  expect(idsOf(receiver)).toEqual([first, first, first, second, third]);
  expect(new Set(receiver.received.slice(0, 3).map(({ body }) => body)).size).toBe(1);
  await expect.poll(async () => (await endpointRow(id)).position).toBe(third);
  expect(await endpointRow(id)).toMatchObject({ failing: false });
});

test('to an unordered endpoint, a failing event delays no other, and is repeated separately', async () => {
  const writer = await newWriter();
  let failing: string | undefined;
  const receiver = await startReceiver((response, { id }) => {
    failing ??= id;
    const isFailing = failing === id && receiver.received.length < 4;
    response.writeHead(isFailing ? 503 : 200, { 'retry-after': '60' }).end();
  });
  const { id } = await newEndpoint(writer.workspaceId, { url: receiver.url, ordered: false });
  newEngine();
  for (const name of ['A', 'B', 'C']) await writer.createCompany(name);
  await until(receiver, 3);
  await expect.poll(async () => (await deliveriesOf(id)).length).toBe(3);
  expect(await deliveriesOf(id)).toMatchObject([
    { state: 'pending', pause: 60 },
    { state: 'delivered' },
    { state: 'delivered' },
  ]);
  await makeDue(writer.workspaceId);
  await until(receiver, 4);
  expect(receiver.received[3]).toMatchObject({ id: failing, body: receiver.received[0]?.body });
  await expect
    .poll(async () => (await deliveriesOf(id))[0])
    .toMatchObject({ state: 'delivered', attempts: 2 });
});

test('endpoints that never respond delay no other, in the same workspace and in others', async () => {
  const [writer, neighbour] = [await newWriter(), await newWriter()];
  const dead = await startReceiver(() => undefined);
  for (let i = 0; i < 40; i += 1) {
    for (const { workspaceId } of [writer, neighbour]) {
      await newEndpoint(workspaceId, { url: dead.url, ordered: i % 2 === 0 });
    }
  }
  const alive = await startReceiver();
  await newEndpoint(writer.workspaceId, { url: alive.url });
  newEngine();
  await writer.createCompany('first');
  await neighbour.createCompany('first');
  await until(dead, 80);
  await until(alive, 1);
  const delays: number[] = [];
  for (let i = 0; i < 20; i += 1) {
    const start = performance.now();
    await writer.createCompany(`company ${i}`);
    await until(alive, i + 2);
    delays.push((alive.received.at(-1)?.atMs ?? Number.POSITIVE_INFINITY) - start);
  }
  expect(Math.max(...delays)).toBeLessThan(2000);
});

test('two nodes deliver each change once, and one continues when the other stops', async () => {
  const writers = [await newWriter(), await newWriter(), await newWriter()];
  const receiver = await startReceiver();
  for (const { workspaceId } of writers) await newEndpoint(workspaceId, { url: receiver.url });
  const first = newEngine();
  newEngine();
  for (const { createCompany } of writers) for (let i = 0; i < 5; i += 1) await createCompany(`c${i}`);
  await until(receiver, 15);
  await first.stop();
  for (const { createCompany } of writers) for (let i = 0; i < 5; i += 1) await createCompany(`d${i}`);
  await until(receiver, 30);
  for (const { changes } of writers) {
    const own = (await changes()).map(({ id }) => id);
    expect(idsOf(receiver).filter((id) => own.includes(id))).toEqual(own);
  }
});

test('a node that has lost its lease records nothing, and the event is repeated with its id', async () => {
  const writer = await newWriter();
  const { receiver, release } = await startHoldingReceiver(200);
  const { id } = await newEndpoint(writer.workspaceId, { url: receiver.url });
  newEngine();
  await writer.createCompany('A');
  await until(receiver, 1);
  // As if another node had it: the first one was frozen for longer than its lease.
  await pool.query(
    `update webhook_endpoints set lease_owner = 'another', lease_until = now() + interval '1 second' where id = $1`,
    [id],
  );
  release();
  await until(receiver, 2);
  const [change] = await writer.changes();
  expect(idsOf(receiver)).toEqual([change?.id, change?.id]);
  await expect.poll(() => deliveriesOf(id)).toMatchObject([{ state: 'delivered', attempts: 1 }]);
});

test('a node that takes an endpoint again records nothing of what it began under its earlier lease', async () => {
  const writer = await newWriter();
  const { receiver, release } = await startHoldingReceiver(500);
  const { id } = await newEndpoint(writer.workspaceId, { url: receiver.url });
  const engine = newEngine();
  await writer.createCompany('A');
  await until(receiver, 1);
  // As if the database had been away for longer than the lease.
  await pool.query(`update webhook_endpoints set lease_until = now() - interval '1 second' where id = $1`, [
    id,
  ]);
  await until(receiver, 2);
  await expect.poll(() => deliveriesOf(id)).toMatchObject([{ state: 'delivered', attempts: 1 }]);
  release();
  await writer.createCompany('B');
  await until(receiver, 3);
  // It waits for the first delivery too.
  await engine.stop();
  const [first, second] = (await writer.changes()).map((change) => change.id);
  expect(idsOf(receiver)).toEqual([first, first, second]);
  const delivered = { state: 'delivered', attempts: 1, status: 200 };
  expect(await deliveriesOf(id)).toMatchObject([delivered, delivered]);
  expect((await endpointRow(id)).position).toBe(second);
});

test('a change whose signal was lost is delivered too', async () => {
  const writer = await newWriter();
  const receiver = await startReceiver();
  await newEndpoint(writer.workspaceId, { url: receiver.url });
  newEngine();
  await writer.createCompany('A');
  await until(receiver, 1);
  await writer.createCompany('B', { announced: false });
  await until(receiver, 2);
});

test('test events whose signals were lost are sent too', async () => {
  const { workspaceId, createCompany } = await newWriter();
  const receiver = await startReceiver();
  const { id } = await newEndpoint(workspaceId, { url: receiver.url });
  newEngine({ lookAgainMs: 100 });
  await createCompany('A');
  await until(receiver, 1);
  // The look at the database that replaces lost signals notices the company once more, but not test events.
  for (const eventId of ['evt_first', 'evt_second']) {
    const event = { eventId, createdAt: new Date().toISOString(), body: Buffer.from('{}') };
    await inTransaction(pool, (client) => addTestDelivery(client, { workspaceId, id }, event));
    await expect.poll(() => idsOf(receiver)).toContain(eventId);
  }
});
