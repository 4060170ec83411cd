import { expect, onTestFinished, test } from 'vitest';
import { inCluster } from '../harness/locks.ts';
import {
  endpointRow,
  newEndpoint,
  newEngine,
  newWriter,
  pool,
  startReceiver,
} from '../harness/webhooks/world.ts';

/** A workspace with an endpoint and its receiver. */
async function newPlace() {
  const writer = await newWriter();
  const receiver = await startReceiver();
  const { id } = await newEndpoint(writer.workspaceId, { url: receiver.url });
  return { writer, receiver, id };
}

/** Locks the row of an endpoint until `unlock`. */
async function lockRow({ writer, id }: Awaited<ReturnType<typeof newPlace>>) {
  const client = await pool.connect();
  onTestFinished(() => client.release(true));
  await client.query('begin');
  await client.query('select from webhook_endpoints where workspace_id = $1 and id = $2 for update', [
    writer.workspaceId,
    id,
  ]);
  return { unlock: () => client.query('commit') };
}

const endOfLease = async (id: string): Promise<number> => {
  const { rows } = await pool.query<{ at: number }>(
    'select extract(epoch from lease_until)::float8 as at from webhook_endpoints where id = $1',
    [id],
  );
  return rows[0]?.at ?? 0;
};

// Citus cannot leave out locked rows (docs/decisions/0025).
const testOfOneServer = test.skipIf(inCluster());

testOfOneServer(
  'a locked row of an endpoint holds up no other endpoint, and the endpoint keeps its lease',
  async () => {
    const [locked, other] = [await newPlace(), await newPlace()];
    newEngine();
    for (const { writer } of [locked, other]) await writer.createCompany('A');
    for (const { receiver } of [locked, other]) await expect.poll(() => receiver.received.length).toBe(1);
    await expect
      .poll(async () => (await endpointRow(locked.id)).position)
      .toBe((await locked.writer.changes())[0]?.id);
    const { lease_owner: owner } = await endpointRow(locked.id);
    const { unlock } = await lockRow(locked);
    const end = await endOfLease(other.id);
    // Leases are renewed, and free endpoints are taken.
    const third = await newPlace();
    await third.writer.createCompany('A');
    await expect.poll(() => third.receiver.received.length).toBe(1);
    await expect.poll(() => endOfLease(other.id)).toBeGreaterThan(end);
    await unlock();
    await locked.writer.createCompany('B');
    await expect.poll(() => locked.receiver.received.length).toBe(2);
    expect(await endpointRow(locked.id)).toMatchObject({ lease_owner: owner });
  },
);

testOfOneServer('a locked row of an endpoint that no process has holds up no other endpoint', async () => {
  const [locked, other] = [await newPlace(), await newPlace()];
  const { unlock } = await lockRow(locked);
  newEngine();
  for (const { writer } of [locked, other]) await writer.createCompany('A');
  await expect.poll(() => other.receiver.received.length).toBe(1);
  await unlock();
  await expect.poll(() => locked.receiver.received.length).toBe(1);
});
