import { beforeAll, expect, test } from 'vitest';
import { expectFailure } from '../harness/answers.ts';
import { waitingForLocks } from '../harness/locks.ts';
import { newRecord, writeCaseOf } from '../writes/cases.ts';
import { createWriteWorld, type WriteWorld } from '../writes/world.ts';

const audits = writeCaseOf('audits');
let world: WriteWorld;
beforeAll(async () => {
  world = await createWriteWorld();
});

const post = (key: string, body: unknown) =>
  world.send('POST', audits.path, body, { headers: { 'idempotency-key': key } });

async function stored(): Promise<number> {
  const { rows } = await world.service.pool.query<{ records: number }>(
    'select count(*)::int as records from audits where workspace_id = $1',
    [world.workspaceId],
  );
  return rows[0]?.records ?? 0;
}

test('a repeat is decided by the row of the answer if nodes do not see the locks of each other', async () => {
  const { pool } = world.service;
  const body = newRecord(audits);
  const first = await post('first-row', body);
  const before = await stored();
  for (const end of ['commit', 'rollback']) {
    // Stores the answer as another coordinator of a cluster would: its advisory lock is not seen here.
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query(
      `insert into idempotent_answers
       select workspace_id, $2, fingerprint, status, headers, body, now(), before_scopes, batch
       from idempotent_answers where workspace_id = $1 and idempotency_key = 'first-row'`,
      [world.workspaceId, `row-${end}`],
    );
    const answer = post(`row-${end}`, body);
    await expect.poll(() => waitingForLocks(pool)).toBe(1);
    await holder.query(end);
    holder.release();
    if (end === 'rollback') expect((await answer).status).toBe(201);
    else {
      expectFailure(await answer, 'idempotency_in_progress', 'still running');
      expect((await answer).headers['retry-after']).toBe('1');
      expect((await post(`row-${end}`, body)).text).toBe(first.text);
      expect(await stored()).toBe(before);
    }
  }
  expect(await stored()).toBe(before + 1);
});
