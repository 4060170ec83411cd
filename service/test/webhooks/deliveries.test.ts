import type { ListEnvelope } from '@svc/sdk';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import type { OneDelivery, SentTest, WebhookDelivery, WebhookPlot } from '../../src/webhooks/wire.ts';
import { dashboard, managed } from '../harness/webhooks/managed.ts';
import { deliveriesOf, endpointRow, newEngine, pool, startReceiver } from '../harness/webhooks/world.ts';

type Managed = Awaited<ReturnType<typeof managed>>;

/** Pages of the deliveries of an endpoint, until the last one. */
async function listAll(
  { owner, path }: Managed,
  id: string,
  query = '',
): Promise<readonly WebhookDelivery[]> {
  const all: WebhookDelivery[] = [];
  for (let cursor = ''; ; ) {
    const answer = await owner.send('GET', `${path}/${id}/deliveries?limit=2${query}${cursor}`);
    expect(answer.status, answer.text).toBe(200);
    const { data, pagination } = answer.json<ListEnvelope<WebhookDelivery>>();
    all.push(...data);
    if (pagination.nextCursor === null) return all;
    cursor = `&cursor=${pagination.nextCursor}`;
  }
}

test('the deliveries of an endpoint are listed page by page, the newest first, with filters', async () => {
  const place = await managed();
  const { writer, create } = place;
  const receiver = await startReceiver((response, { body }) =>
    response.writeHead(body.includes('"fails"') ? 500 : 200).end('a response'),
  );
  const { endpoint } = await create({ url: receiver.url, ordered: false });
  const { endpoint: other } = await create({ url: receiver.url, ordered: false });
  newEngine();
  for (const name of ['A', 'B', 'fails', 'C']) await writer.createCompany(name);
  const first = await writer.createCompany('D');
  await writer.send('PATCH', `/v1/companies/${first}`, { name: 'E' });
  await expect.poll(() => deliveriesOf(endpoint.id)).toHaveLength(6);
  await expect.poll(() => deliveriesOf(other.id)).toHaveLength(6);
  const feed = (await writer.changes()).map(({ id }) => id);
  const all = await listAll(place, endpoint.id);
  expect(all.map(({ id }) => id)).toEqual(feed.toReversed());
  expect(all[0]).toEqual({
    id: feed[5],
    type: 'company.updated',
    state: 'delivered',
    attempts: 1,
    status: 200,
    failure: null,
    durationMs: expect.any(Number),
    createdAt: expect.stringMatching(/Z$/),
    attemptedAt: expect.stringMatching(/Z$/),
    nextAttemptAt: null,
  });
  const ids = async (query: string) => (await listAll(place, endpoint.id, query)).map(({ id }) => id);
  expect(await ids('&state=pending')).toEqual([feed[2]]);
  expect(await ids('&state=failed')).toEqual([]);
  expect(await ids('&type=company.updated')).toEqual([feed[5]]);
  expect(await ids('&state=delivered&type=company.created')).toHaveLength(4);
  const middle = all[3]?.createdAt;
  expect(await ids(`&from=${middle}`)).toEqual(
    all.filter(({ createdAt }) => createdAt >= String(middle)).map(({ id }) => id),
  );
  expect(await ids(`&to=${middle}`)).toEqual(
    all.filter(({ createdAt }) => createdAt < String(middle)).map(({ id }) => id),
  );
});

test('a delivery has the exact body that was sent, and the response', async () => {
  const { owner, path, writer, create } = await managed();
  let status = 200;
  const receiver = await startReceiver((response) => response.writeHead(status).end('it arrived'));
  const { endpoint } = await create({ url: receiver.url, ordered: false });
  newEngine();
  const read = async (eventId: string) =>
    (await owner.send('GET', `${path}/${endpoint.id}/deliveries/${eventId}`)).json<OneDelivery>().delivery;
  await writer.createCompany('Ä ✓ "quoted"');
  await expect.poll(() => deliveriesOf(endpoint.id)).toMatchObject([{ state: 'delivered' }]);
  status = 503;
  await writer.createCompany('B');
  await expect.poll(() => deliveriesOf(endpoint.id)).toMatchObject([{}, { state: 'pending' }]);
  for (const { id, body } of receiver.received) {
    expect(await read(id)).toMatchObject({ id, request: body, response: 'it arrived' });
  }
  // The feed no longer has the changes. What was not delivered keeps its bytes.
  await pool.query(
    `insert into feed_starts (workspace_id, complete_after) select workspace_id, last_at from workspace_clocks where workspace_id = $1
     on conflict (workspace_id) do update set complete_after = excluded.complete_after`,
    [owner.workspaceId],
  );
  const [delivered, pending] = receiver.received;
  expect(await read(delivered?.id ?? '')).toMatchObject({ request: null, response: 'it arrived' });
  expect(await read(pending?.id ?? '')).toMatchObject({ request: pending?.body });
});

test('a test event goes only to its endpoint, once, signed, and is in its log', async () => {
  const place = await managed();
  const { owner, path, create } = place;
  let status = 204;
  const receiver = await startReceiver((response) => response.writeHead(status).end());
  const other = await startReceiver();
  const { endpoint, secret } = await create({ url: receiver.url, types: ['content.created'] });
  await create({ url: other.url });
  newEngine();
  const sendTest = async () => {
    const answer = await owner.send('POST', `${path}/${endpoint.id}/test`, {});
    expect(answer.status, answer.text).toBe(202);
    return answer.json<SentTest>().eventId;
  };
  const eventId = await sendTest();
  await expect.poll(() => receiver.received.length).toBe(1);
  const [{ id, body, headers } = { id: '', body: '', headers: {} }] = receiver.received;
  expect(new Webhook(secret).verify(body, { ...headers })).toMatchObject({
    type: 'endpoint.test',
    data: { id: eventId, recordId: endpoint.id },
  });
  expect(id).toBe(eventId);
  await expect.poll(() => deliveriesOf(endpoint.id)).toMatchObject([{ state: 'delivered' }]);
  const { delivery } = (
    await owner.send('GET', `${path}/${endpoint.id}/deliveries/${eventId}`)
  ).json<OneDelivery>();
  expect(delivery).toMatchObject({ type: 'endpoint.test', state: 'delivered', request: body });
  // One that fails is not repeated, and holds nothing back.
  status = 500;
  const failing = await sendTest();
  await expect
    .poll(() => listAll(place, endpoint.id, '&state=failed'))
    .toMatchObject([{ id: failing, attempts: 1 }]);
  expect((await listAll(place, endpoint.id)).map((one) => one.id)).toEqual([failing, eventId]);
  expect(other.received).toEqual([]);
  expect(await endpointRow(endpoint.id)).toMatchObject({ enabled: true });
});

test('a test event is sent while an ordered endpoint is held back by another event', async () => {
  const { owner, path, writer, create } = await managed();
  const receiver = await startReceiver((response, { body }) =>
    response.writeHead(body.includes('endpoint.test') ? 200 : 500).end(),
  );
  const { endpoint } = await create({ url: receiver.url });
  newEngine();
  await writer.createCompany('A');
  await expect.poll(() => deliveriesOf(endpoint.id)).toMatchObject([{ state: 'pending' }]);
  await owner.send('POST', `${path}/${endpoint.id}/test`, {});
  await expect
    .poll(() => deliveriesOf(endpoint.id))
    .toMatchObject([{ state: 'pending', attempts: 1 }, { state: 'delivered' }]);
});

test('at most ten test events wait, and a disabled endpoint gets none', async () => {
  const { owner, path, create, change } = await managed();
  const { endpoint } = await create({ url: 'https://example.com' });
  const sendTest = async () => (await owner.send('POST', `${path}/${endpoint.id}/test`, {})).status;
  const statuses: number[] = [];
  for (let i = 0; i < 11; i += 1) statuses.push(await sendTest());
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 202), 409]);
  await change(endpoint.id, { enabled: false });
  await pool.query('delete from webhook_deliveries where endpoint_id = $1', [endpoint.id]);
  expect(await sendTest()).toBe(409);
});

test('the plot counts the attempts by the hour and by the day, with their durations', async () => {
  const { owner, path, writer, create } = await managed();
  const receiver = await startReceiver((response, { body }) =>
    response.writeHead(body.includes('"fails"') ? 500 : 200).end(),
  );
  const { endpoint } = await create({ url: receiver.url, ordered: false });
  newEngine();
  for (const name of ['A', 'fails', 'B']) await writer.createCompany(name);
  await expect.poll(() => deliveriesOf(endpoint.id)).toHaveLength(3);
  await pool.query(
    `insert into webhook_attempts (workspace_id, endpoint_id, hour, bucket, delivered, failed)
     select workspace_id, id, date_trunc('hour', now() - interval '2 days', 'UTC'), 10, 4, 1 from webhook_endpoints where id = $1`,
    [endpoint.id],
  );
  for (const [range, step, length] of [
    ['24h', 'hour', 24],
    ['7d', 'hour', 168],
    ['30d', 'day', 30],
  ] as const) {
    const plot = (await owner.send('GET', `${path}/${endpoint.id}/plot?range=${range}`)).json<WebhookPlot>();
    expect([plot.step, plot.spans.length]).toEqual([step, length]);
    expect(plot.spans.at(-1)).toMatchObject({
      delivered: 2,
      failed: 1,
      p50: expect.any(Number),
      p99: expect.any(Number),
    });
    const sum = plot.spans.reduce((total, { delivered, failed }) => total + delivered + failed, 0);
    expect(sum).toBe(range === '24h' ? 3 : 8);
    expect(plot.spans[0]).toMatchObject({ delivered: 0, failed: 0, p50: null, p99: null });
  }
  expect((await owner.send('GET', `${path}/${endpoint.id}/plot?range=1y`)).status).toBe(400);
});

test('filters that are not allowed get 400, and deliveries of others 404', async () => {
  const { owner, path, workspaceId, writer, create } = await managed();
  const receiver = await startReceiver();
  const { endpoint } = await create({ url: receiver.url });
  newEngine();
  await writer.createCompany('A');
  await expect.poll(() => deliveriesOf(endpoint.id)).toHaveLength(1);
  const eventId = receiver.received[0]?.id ?? '';
  for (const query of [
    'state=gone',
    'type=none',
    'from=yesterday',
    'endpoint=whe_1',
    'since=1',
    'limit=0',
    'cursor=x',
  ]) {
    const answer = await owner.send('GET', `${path}/${endpoint.id}/deliveries?${query}`);
    expect([query, answer.status]).toEqual([query, 400]);
  }
  const stranger = await managed();
  const { endpoint: own } = await stranger.create({ url: receiver.url });
  const viewer = await dashboard.member(workspaceId, 'viewer');
  const requests = [
    ['GET', '/deliveries'],
    ['GET', `/deliveries/${eventId}`],
    ['POST', `/deliveries/${eventId}/replay`, {}],
    ['POST', '/replay', { failed: true }],
    ['POST', '/test', {}],
    ['GET', '/plot'],
  ] as const;
  for (const [method, rest, body] of requests) {
    expect((await viewer.send(method, `${path}/${endpoint.id}${rest}`, body)).status).toBe(403);
    expect((await stranger.owner.send(method, `${path}/${endpoint.id}${rest}`, body)).status).toBe(404);
    expect((await stranger.owner.send(method, `${stranger.path}/${endpoint.id}${rest}`, body)).status).toBe(
      404,
    );
    expect((await stranger.owner.send(method, `${stranger.path}/whe_none${rest}`, body)).status).toBe(404);
    if (!rest.includes(eventId)) continue;
    expect((await stranger.owner.send(method, `${stranger.path}/${own.id}${rest}`, body)).status).toBe(404);
  }
});
