import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { SEARCHED_ROWS_MAX } from '../../src/config/limits.ts';
import { newRequestEntries } from '../harness/entries.ts';
import { LISTS } from '../harness/lists.ts';
import { waitingForLocks } from '../harness/locks.ts';
import { seedRecords } from '../harness/records.ts';
import { listen } from '../harness/socket.ts';
import { createWorld, seedRow } from '../harness/world.ts';

const { service, workspaceId } = await createWorld();
const mentions = LISTS.find(({ name }) => name === 'mentions');
if (mentions === undefined) throw new Error('there are no mentions');
// A hundredth is sent, so each page has less than a unit pays for.
const rows = Array.from({ length: 3 * SEARCHED_ROWS_MAX }, (_, i) => ({
  ...seedRow(mentions, 10_000 + i),
  source: i % 100 === 0 ? 'rare' : 'common',
}));
rows.push({ ...seedRow(mentions, 10_000 + rows.length), source: 'last' });
await seedRecords(service.pool, workspaceId, mentions.resource, rows);
const RARE = rows.filter(({ source }) => source === 'rare').length;
const token = await service.token(workspaceId);
const baseUrl = await listen(service);

const used = async (): Promise<number> => {
  const { rows } = await service.pool.query<{ n: number }>(
    'select live_requests::int as n from live_meters where workspace_id = $1',
    [workspaceId],
  );
  return rows[0]?.n ?? 0;
};

test('an export pays for the records that it sends, not for those that its filters leave out', async () => {
  const before = await used();
  const { text } = await service.request(token, '/v1/mentions/export?source=rare');
  expect(text.split('\n')).toHaveLength(RARE + 1);
  expect((await used()) - before).toBe(Math.ceil(RARE / 100));
});

test('an export sends an empty line for each page of its search that has no record', async () => {
  const { text } = await service.request(token, '/v1/mentions/export?source=last');
  const lines = text.split('\n');
  expect(lines.slice(0, 3)).toEqual(['', '', '']);
  expect(lines.slice(3)).toEqual([expect.stringContaining('"source":"last"'), '']);
  expect((await service.request(token, '/v1/mentions/export?source=none')).text.trim()).toBe('');
});

/** Runs a statement in a transaction of its own. The result ends the transaction. */
async function hold(sql: string, values: readonly string[] = []): Promise<() => Promise<void>> {
  const client: pg.PoolClient = await service.pool.connect();
  await client.query('begin');
  await client.query(sql, [...values]);
  return async () => {
    await client.query('commit');
    client.release();
  };
}
const holdMentions = () => hold('lock table mentions in access exclusive mode');
const holdMeter = () => hold('select 1 from live_meters where workspace_id = $1 for update', [workspaceId]);

/** Starts the export of the rare mentions, with this encoding. */
async function start(encoding: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${token}`, 'accept-encoding': encoding };
  const sent = get(`${baseUrl}/v1/mentions/export?source=rare`, { headers });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

test.each(['gzip', 'identity'])(
  'an export responds before its search, and sends each record when it finds it: %s',
  async (encoding) => {
    const release = await holdMentions();
    let response: IncomingMessage | undefined;
    const entries = await newRequestEntries(service.pool, workspaceId, async () => {
      response = await start(encoding);
    });
    expect([response?.statusCode, entries.length]).toEqual([200, 1]);
    // Before more than 100 records, the export waits for its second unit.
    const releaseMeter = await holdMeter();
    await release();
    let lines = 0;
    const decoder = encoding === 'gzip' ? createGunzip() : new PassThrough();
    const body: Readable = pipeline(response ?? decoder, decoder, () => undefined);
    body.on('data', (chunk: Buffer) => {
      lines += chunk.toString().split('\n').length - 1;
    });
    await expect.poll(() => lines).toBe(100);
    await releaseMeter();
    await once(body, 'end');
    expect(lines).toBe(RARE);
  },
);

test('a compressed export that its audit entry refuses has sent nothing of its response', async () => {
  const client = await service.pool.connect();
  await client.query('begin');
  await client.query('update live_meters set live_quota = 0 where workspace_id = $1', [workspaceId]);
  const answer = start('gzip');
  await expect.poll(() => waitingForLocks(service.pool)).toBe(1);
  await client.query('commit');
  client.release();
  const { statusCode, headers } = await answer;
  expect([statusCode, headers['content-type']]).toEqual([429, 'application/json; charset=utf-8']);
});
