import { expect, test } from 'vitest';
import { managed } from '../harness/webhooks/managed.ts';
import {
  deliveriesOf,
  makeDue,
  newEngine,
  pool,
  type Receiver,
  startReceiver,
} from '../harness/webhooks/world.ts';

type Managed = Awaited<ReturnType<typeof managed>>;

const idsOf = ({ received }: Receiver): readonly string[] => received.map(({ id }) => id);

/** Sends everything since a time again, and returns the answer. */
const replay = ({ owner, path }: Managed, id: string, body: object) =>
  owner.send('POST', `${path}/${id}/replay`, body);

test('an event that was delivered is sent again with the same id and the same bytes', async () => {
  const place = await managed();
  const { owner, path, writer, create } = place;
  const receiver = await startReceiver();
  const { endpoint } = await create({ url: receiver.url });
  newEngine();
  for (const name of ['A', 'B', 'C']) await writer.createCompany(name);
  await expect.poll(() => receiver.received.length).toBe(3);
  await expect.poll(() => deliveriesOf(endpoint.id)).toHaveLength(3);
  const again = receiver.received[1];
  const answer = await owner.send('POST', `${path}/${endpoint.id}/deliveries/${again?.id}/replay`, {});
  expect([answer.status, answer.json()]).toMatchObject([
    202,
    { delivery: { id: again?.id, state: 'pending', attempts: 0 } },
  ]);
  await expect.poll(() => receiver.received.length).toBe(4);
  expect(receiver.received[3]).toMatchObject({ id: again?.id, body: again?.body });
  await expect
    .poll(() => deliveriesOf(endpoint.id))
    .toMatchObject(Array.from({ length: 3 }, () => ({ state: 'delivered' })));
});

test('all failed events of an endpoint are sent again, and no others', async () => {
  const place = await managed();
  const { writer, create } = place;
  let status = 500;
  const receiver = await startReceiver((response) => response.writeHead(status).end());
  const { endpoint } = await create({ url: receiver.url, ordered: false });
  const { endpoint: other } = await create({ url: receiver.url, ordered: false });
  const engine = newEngine();
  for (const name of ['A', 'B', 'C']) await writer.createCompany(name);
  for (const { id } of [endpoint, other]) await expect.poll(() => deliveriesOf(id)).toHaveLength(3);
  await engine.stop();
  const [first] = await deliveriesOf(endpoint.id);
  await pool.query(
    `update webhook_deliveries set state = 'failed', next_attempt_at = null, attempts = 10
     where workspace_id = $1 and event_id <> $2`,
    [writer.workspaceId, first?.event_id],
  );
  expect((await replay(place, endpoint.id, { failed: true })).json()).toEqual({ replayed: 2 });
  expect((await replay(place, endpoint.id, { failed: true })).json()).toEqual({ replayed: 0 });
  status = 200;
  newEngine();
  await expect
    .poll(() => deliveriesOf(endpoint.id), { timeout: 20_000 })
    .toMatchObject([
      { state: 'pending' },
      { state: 'delivered', attempts: 1 },
      { state: 'delivered', attempts: 1 },
    ]);
  expect((await deliveriesOf(other.id)).map(({ state }) => state)).toEqual(['pending', 'failed', 'failed']);
});

test.each([true, false])(
  'everything since a time is sent again with the same ids and bytes (ordered: %s)',
  async (ordered) => {
    const place = await managed();
    const { writer, create } = place;
    const receiver = await startReceiver();
    const { endpoint } = await create({ url: receiver.url, ordered });
    newEngine();
    for (let i = 0; i < 5; i += 1) await writer.createCompany(`company ${i}`);
    await expect.poll(() => deliveriesOf(endpoint.id)).toHaveLength(5);
    const sent = receiver.received.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const since = JSON.parse(sent[2]?.body ?? '').timestamp;
    expect((await replay(place, endpoint.id, { since })).json()).toEqual({ replayed: null });
    await expect.poll(() => receiver.received.length).toBe(8);
    const again = receiver.received.slice(5);
    const inOrder = ordered ? again : again.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(inOrder.map(({ id, body }) => [id, body])).toEqual(
      sent.slice(2).map(({ id, body }) => [id, body]),
    );
    await writer.createCompany('later');
    await expect.poll(() => receiver.received.length).toBe(9);
  },
);

test('a replay while an ordered endpoint is held back and written to keeps the order, and skips nothing', async () => {
  const place = await managed();
  const { writer, create } = place;
  let failing = '';
  const receiver = await startReceiver((response, { body }) =>
    response.writeHead(failing !== '' && body.includes(failing) ? 500 : 200).end(),
  );
  const { endpoint } = await create({ url: receiver.url });
  newEngine();
  for (const name of ['one', 'two']) await writer.createCompany(name);
  await expect.poll(() => receiver.received.length).toBe(2);
  failing = '"three"';
  for (const name of ['three', 'four', 'five']) await writer.createCompany(name);
  await expect.poll(() => deliveriesOf(endpoint.id)).toMatchObject([{}, {}, { state: 'pending' }]);
  const since = JSON.parse(receiver.received[0]?.body ?? '').timestamp;
  const before = receiver.received.length;
  expect(await replay(place, endpoint.id, { since })).toMatchObject({ status: 202 });
  await writer.createCompany('six');
  failing = '';
  await makeDue(writer.workspaceId);
  const feed = async () => (await writer.changes()).map(({ id }) => id);
  await expect.poll(() => new Set(idsOf(receiver).slice(before)).size, { timeout: 20_000 }).toBe(6);
  expect([...new Set(idsOf(receiver).slice(before))]).toEqual(await feed());
  await expect
    .poll(() => deliveriesOf(endpoint.id))
    .toMatchObject(Array.from({ length: 6 }, () => ({ state: 'delivered' })));
});

test.each([0, 1])(
  'a replay during a round, from its event %i, neither loses its result nor overtakes it',
  async (from) => {
    const place = await managed();
    const { writer, create } = place;
    const open: (() => void)[] = [];
    let holds = false;
    const receiver = await startReceiver((response) => {
      const end = () => void response.writeHead(200).end();
      if (holds) open.push(end);
      else end();
    });
    const { endpoint } = await create({ url: receiver.url });
    const other = await startReceiver();
    await create({ url: other.url });
    newEngine();
    await writer.createCompany('one');
    await expect.poll(() => deliveriesOf(endpoint.id)).toHaveLength(1);
    holds = true;
    await writer.createCompany('two');
    await expect.poll(() => open.length).toBe(1);
    const since = JSON.parse(receiver.received[from]?.body ?? '').timestamp;
    expect(await replay(place, endpoint.id, { since })).toMatchObject({ status: 202 });
    // The engine has seen the replay. Nothing overtakes the delivery that runs.
    await writer.createCompany('three');
    await expect.poll(() => other.received.length).toBe(3);
    expect(receiver.received).toHaveLength(2);
    holds = false;
    for (const end of open) end();
    await expect.poll(() => receiver.received.length).toBe(5 - from);
    const [first, second, third] = idsOf(other);
    expect(idsOf(receiver)).toEqual([first, second, ...[first, second].slice(from), third]);
  },
);

test('an endpoint that becomes ordered gets what waits in the order of the events', async () => {
  const { writer, create, change } = await managed();
  let status = 500;
  const receiver = await startReceiver((response) => response.writeHead(status).end());
  const { endpoint } = await create({ url: receiver.url, ordered: false });
  const engine = newEngine();
  for (let i = 0; i < 20; i += 1) await writer.createCompany(`company ${i}`);
  await expect.poll(() => deliveriesOf(endpoint.id)).toHaveLength(20);
  await engine.stop();
  // The times of the next attempts have the inverted order.
  const waiting = await pool.query<{ event_id: string }>(
    'select event_id from webhook_deliveries where endpoint_id = $1 order by event_id',
    [endpoint.id],
  );
  for (const [place, { event_id }] of waiting.rows.entries())
    await pool.query(
      'update webhook_deliveries set next_attempt_at = $3 where endpoint_id = $1 and event_id = $2',
      [endpoint.id, event_id, new Date(Date.now() - (place + 1) * 60_000)],
    );
  await change(endpoint.id, { ordered: true });
  await writer.createCompany('last');
  status = 200;
  const before = receiver.received.length;
  newEngine();
  await expect.poll(() => receiver.received.length - before, { timeout: 20_000 }).toBe(21);
  expect(idsOf(receiver).slice(before)).toEqual((await writer.changes()).map(({ id }) => id));
});

test('a time from which the feed has no longer all changes is refused, and so is any other body', async () => {
  const place = await managed();
  const { writer, create } = place;
  const { endpoint } = await create({ url: 'https://example.com' });
  await writer.createCompany('A');
  await pool.query(
    `insert into feed_starts (workspace_id, complete_after) values ($1, '2026-03-01T09:30:00Z')
     on conflict (workspace_id) do update set complete_after = excluded.complete_after`,
    [writer.workspaceId],
  );
  const expired = await replay(place, endpoint.id, { since: '2026-03-01T09:30:00Z' });
  expect(expired).toMatchObject({ status: 410 });
  expect(expired.json()).toMatchObject({
    error: { code: 'position_expired', message: expect.stringContaining('2026-03-01T09:30:00.000001Z') },
  });
  expect(await replay(place, endpoint.id, { since: '2026-03-01T09:30:00.000002Z' })).toMatchObject({
    status: 202,
  });
  // In the future: nothing is left out.
  const {
    rows: [before],
  } = await pool.query('select position, replay_from from webhook_endpoints where id = $1', [endpoint.id]);
  expect(await replay(place, endpoint.id, { since: '2999-01-01T00:00:00Z' })).toMatchObject({ status: 202 });
  const {
    rows: [after],
  } = await pool.query('select position, replay_from from webhook_endpoints where id = $1', [endpoint.id]);
  expect(after).toEqual(before);
  for (const body of [
    {},
    { failed: false },
    { failed: true, since: '2026-03-02T00:00:00Z' },
    { since: 'monday' },
    { since: 5 },
    [],
  ])
    expect([body, (await replay(place, endpoint.id, body)).status]).toEqual([body, 400]);
});

test('a node that has lost its lease does not move the position back', async () => {
  const place = await managed();
  const { writer, create } = place;
  const open: (() => void)[] = [];
  const receiver = await startReceiver((response) => void open.push(() => response.writeHead(200).end()));
  const { endpoint } = await create({ url: receiver.url });
  newEngine();
  await writer.createCompany('one');
  await expect.poll(() => open.length).toBe(1);
  const since = JSON.parse(receiver.received[0]?.body ?? '').timestamp;
  expect(await replay(place, endpoint.id, { since })).toMatchObject({ status: 202 });
  await pool.query(
    `update webhook_endpoints set lease_owner = 'another', lease_until = now() + interval '3 seconds' where id = $1`,
    [endpoint.id],
  );
  open[0]?.();
  // Another process has the lease. When it ends, the event is sent again: the round that was lost recorded nothing.
  await expect.poll(() => open.length, { timeout: 20_000 }).toBe(2);
  expect(await deliveriesOf(endpoint.id)).toEqual([]);
  open[1]?.();
  await expect.poll(() => deliveriesOf(endpoint.id)).toMatchObject([{ state: 'delivered' }]);
  expect(new Set(idsOf(receiver)).size).toBe(1);
});
