import { expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { createTestDatabase } from '../harness/database.ts';
import { newRequestEntries } from '../harness/entries.ts';
import { losingPool } from '../harness/postgres/lost-commit.ts';
import { createTestService, type TestAnswer } from '../harness/service.ts';
import { newRecord, writeCaseOf } from '../writes/cases.ts';
import { createWriteWorld } from '../writes/world.ts';

const mentions = writeCaseOf('mentions');
const database = await createTestDatabase();
const { pool, loseNext } = losingPool(database.url);

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
      loseNext(when, 'insert into audit_log');
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
