import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { limitConnections } from '@svc/http-content/connections';
import { expect, test } from 'vitest';
import { LISTS } from '../harness/lists.ts';
import { seedRecords } from '../harness/records.ts';
import { listen } from '../harness/socket.ts';
import { createWorld, ITEMS, seedRow } from '../harness/world.ts';

/** Much more than the buffers of a connection hold. A page has 2 MB. */
const RECORDS = 600;
const EXCERPT_CHARACTERS = 20_000;
const UNREAD_TIMEOUT_MS = 3_000;
/** The pause of a slow client between two reads. */
const PAUSE_MS = 25;

const { service, workspaceId } = await createWorld();
const mentions = LISTS.find(({ name }) => name === 'mentions');
if (mentions === undefined) throw new Error('there are no mentions');
const rows = Array.from({ length: RECORDS }, (_, i) => ({
  ...seedRow(mentions, 1_000 + i),
  excerpt: 'x'.repeat(EXCERPT_CHARACTERS),
}));
await seedRecords(service.pool, workspaceId, mentions.resource, rows);
const token = await service.token(workspaceId);
limitConnections(service.app.server, { unreadTimeoutMs: UNREAD_TIMEOUT_MS });
const baseUrl = await listen(service);

/** Starts an export, and reads nothing of its body. */
async function open(): Promise<IncomingMessage> {
  const sent = get(`${baseUrl}/v1/mentions/export`, { headers: { authorization: `Bearer ${token}` } });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

test('an export has every record for a client that reads slowly all the time', async () => {
  const beforeMs = performance.now();
  const response = (await open()).setEncoding('utf8');
  let lines = 0;
  const readPiece = (): boolean => {
    lines += String(response.read() ?? '').split('\n').length - 1;
    return response.closed;
  };
  await expect.poll(readPiece, { interval: PAUSE_MS, timeout: 60_000 }).toBe(true);
  expect(lines).toBe(ITEMS + RECORDS);
  // This took longer than the timeout for a client that does not read.
  expect(performance.now() - beforeMs).toBeGreaterThan(UNREAD_TIMEOUT_MS);
});

test('an export whose client reads nothing is disconnected, and another one gets its place', async () => {
  const status = async () => (await service.request(token, '/v1/companies/export')).status;
  const deaf = await Promise.all([open(), open(), open()]);
  expect(await status()).toBe(429);
  await expect.poll(status).toBe(200);
  for (const response of deaf) response.destroy();
});
