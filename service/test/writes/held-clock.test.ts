import { expect, test } from 'vitest';
import { waitingForLocks } from '../harness/locks.ts';
import { createTestService } from '../harness/service.ts';

const WRITERS = 8;

test('a workspace whose clock is held delays neither the reads nor the writes of another one', async () => {
  const service = await createTestService();
  const [held, other] = [await service.workspace(), await service.workspace()];
  const [heldToken, token] = [
    await service.token(held, { access: 'write', mode: 'test' }),
    await service.token(other, { access: 'write' }),
  ];
  const create = (key: string) =>
    service.request(key, '/v1/companies', { method: 'POST', payload: { name: 'Acme' } });
  const holder = await service.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select 1 from workspace_clocks where workspace_id = $1 for update', [held]);
    const waiting = Array.from({ length: WRITERS }, () => create(heldToken));
    await expect.poll(() => waitingForLocks(service.pool)).toBeGreaterThan(0);
    expect((await service.request(token, '/v1/companies')).status).toBe(200);
    expect((await create(token)).status).toBe(201);
    await holder.query('commit');
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(
      Array.from({ length: WRITERS }, () => 201),
    );
  } finally {
    holder.release();
  }
});
