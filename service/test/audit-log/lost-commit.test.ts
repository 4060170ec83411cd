import { expect, test } from 'vitest';
import { createPool } from '../../src/database/pool.ts';
import { expectFailure } from '../harness/answers.ts';
import { onFileEnd } from '../harness/cleanup.ts';
import { createTestDatabase } from '../harness/database.ts';
import { newRequestEntries } from '../harness/entries.ts';
import { createTestService, type TestAnswer } from '../harness/service.ts';
import { newRecord, writeCaseOf } from '../writes/cases.ts';
import { createWriteWorld } from '../writes/world.ts';

const mentions = writeCaseOf('mentions');
const CONNECTIONS = 4;

const database = await createTestDatabase();
/** When the next commit loses its connection. */
let lose: 'before' | 'after' | undefined;
const pool = createPool({ url: database.url, max: CONNECTIONS, name: 'lost', onError: () => undefined });
onFileEnd(() => pool.end());
pool.on('connect', (client) => {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  client.query = ((...args: readonly [string | { readonly text?: string }, ...unknown[]]) => {
    const [first] = args;
    if (lose === undefined || (typeof first === 'string' ? first : first.text) !== 'commit')
      return query(...args);
    const committed = lose === 'after' ? query(...args) : undefined;
    lose = undefined;
    return Promise.resolve(committed).then(() => {
      connection.stream.destroy();
      return query('select');
    });
  }) as typeof client.query;
});

test.each([
  ['before', []],
  ['after', [201]],
] as const)(
  'a write whose connection is lost %s its commit gets 503, and no second entry',
  async (when, statuses) => {
    const world = await createWriteWorld(await createTestService({ database, pool }));
    const post = (): Promise<TestAnswer> =>
      world.send('POST', mentions.path, newRecord(mentions, { title: when }), {
        headers: { 'idempotency-key': when },
      });
    let answer: TestAnswer | undefined;
    const entries = await newRequestEntries(database.pool, world.workspaceId, async () => {
      lose = when;
      answer = await post();
    });
    if (answer === undefined) throw new Error('there was no answer');
    expectFailure(answer, 'unavailable');
    expect(answer.headers['retry-after']).toBe('1');
    expect(entries.map(({ status }) => status)).toEqual(statuses);
    const repeated = await post();
    expect(repeated.status).toBe(201);
    expect(repeated.headers['idempotent-replayed']).toBe(when === 'after' ? 'true' : undefined);
  },
);
