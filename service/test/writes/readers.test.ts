import { expect, test } from 'vitest';
import { createPool, inTransaction } from '../../src/database/pool.ts';
import { insertRecords } from '../../src/records/insert.ts';
import { onFileEnd } from '../harness/cleanup.ts';
import { createTestDatabase } from '../harness/database.ts';
import { pollOf, tailOf } from '../harness/follow.ts';
import { idsIn } from '../harness/import.ts';
import { type Envelope, type Params, pageOf, urlOf } from '../harness/lists.ts';
import { createTestService, type TestService } from '../harness/service.ts';
import { findingsOf } from '../harness/verify.ts';
import { newRecord, writeCaseOf } from './cases.ts';
import { createWriteWorld, type WriteWorld } from './world.ts';

const SINGLE_WRITERS = 6;
const BATCH_WRITERS = 5;
const IMPORTERS = 5;
const SINGLES_EACH = 30;
const BATCHES_EACH = 8;
const BATCH_RECORDS = 12;
const POOL_SIZE = 4;
const TIMEOUT_MS = 60_000;

const mentions = writeCaseOf('mentions');

/** Applications on one database, each with its own connections, like processes. */
async function nodesOn(count: number): Promise<readonly TestService[]> {
  const database = await createTestDatabase();
  const nodes: TestService[] = [];
  for (let i = 0; i < count; i++) {
    const pool = createPool({
      url: database.url,
      max: POOL_SIZE,
      name: `node ${i}`,
      onError: () => undefined,
    });
    onFileEnd(() => pool.end());
    nodes.push(await createTestService({ database, pool }));
  }
  return nodes;
}

/** Sixteen writers of three kinds, and dry runs between them. Resolves once all of them have finished. */
async function writeAll(
  nodes: readonly TestService[],
  { workspaceId, live, sandbox }: WriteWorld,
): Promise<void> {
  const [first] = nodes;
  if (first === undefined) throw new Error('there is no node');
  const post = async (i: number, url: string, payload: object, token = live): Promise<void> => {
    const node = nodes[i % nodes.length] ?? first;
    for (;;) {
      const { status, text } = await node.request(token, url, { method: 'POST', payload });
      if (status === 201) return;
      // The write has waited too long for the other fifteen, and has written nothing.
      if (status !== 503) throw new Error(`${status}: ${text}`);
    }
  };
  const records = () => Array.from({ length: BATCH_RECORDS }, () => newRecord(mentions));
  const single = async (i: number): Promise<void> => {
    for (let n = 0; n < SINGLES_EACH; n++) {
      await post(i + n, mentions.path, newRecord(mentions));
      if (n % 4 === 0) await post(i + n, mentions.path, newRecord(mentions), sandbox);
    }
  };
  const batch = async (i: number): Promise<void> => {
    for (let n = 0; n < BATCHES_EACH; n++) await post(i + n, `${mentions.path}/batch`, { data: records() });
  };
  const importer = async (): Promise<void> => {
    for (let n = 0; n < BATCHES_EACH; n++) {
      await inTransaction(first.database.pool, async (client) => {
        const { resource } = mentions;
        await insertRecords(client, workspaceId, resource, records() as Parameters<typeof insertRecords>[3]);
        // Commits late: a record with a later time must not be visible before.
        await client.query('select pg_sleep(0.005)');
      });
    }
  };
  await Promise.all([
    ...Array.from({ length: SINGLE_WRITERS }, (_, i) => single(i)),
    ...Array.from({ length: BATCH_WRITERS }, (_, i) => batch(i)),
    ...Array.from({ length: IMPORTERS }, importer),
  ]);
}

test.each([1, 2])(
  'with sixteen writers over %i node(s), a reader that follows or polls the list sees every record once, in order',
  async (count) => {
    const nodes = await nodesOn(count);
    const [first] = nodes;
    if (first === undefined) throw new Error('there is no node');
    const world = await createWriteWorld(first);
    let asked = 0;
    const get = async (params: Params): Promise<Envelope> => {
      const node = nodes[asked++ % nodes.length] ?? first;
      return pageOf(await node.request(world.reader, urlOf(mentions.path, { limit: 50, ...params })));
    };
    const state = { done: false };
    const tail = tailOf(get, state);
    const poll = pollOf(get, state);
    await writeAll(nodes, world);
    state.done = true;

    const all = await idsIn(first.pool, world.workspaceId, 'mentions');
    const expected =
      SINGLE_WRITERS * SINGLES_EACH + (BATCH_WRITERS + IMPORTERS) * BATCHES_EACH * BATCH_RECORDS;
    expect(all).toHaveLength(expected);
    expect(await tail).toEqual(all);
    // The reader begins with the newest page.
    const polled = await poll;
    expect(polled.length).toBeGreaterThan(expected / 2);
    expect(polled).toEqual(all.slice(all.indexOf(polled[0] ?? '')));
    expect(await findingsOf(first.pool)).toEqual([]);
  },
  TIMEOUT_MS,
);
