import { expect, test } from 'vitest';
import { SEARCHED_ROWS_MAX } from '../../src/config/limits.ts';
import { LISTS } from '../harness/lists.ts';
import { seedRecords } from '../harness/records.ts';
import { createWorld, seedRow } from '../harness/world.ts';

const { service, workspaceId } = await createWorld();

const used = async (): Promise<number> => {
  const { rows } = await service.pool.query<{ n: number }>(
    'select live_requests::int as n from live_meters where workspace_id = $1',
    [workspaceId],
  );
  return rows[0]?.n ?? 0;
};

test('an export pays for the records that it sends, not for those that its filters leave out', async () => {
  const mentions = LISTS.find(({ name }) => name === 'mentions');
  if (mentions === undefined) throw new Error('there are no mentions');
  // A hundredth is sent, so each page has less than a unit pays for.
  const rows = Array.from({ length: 3 * SEARCHED_ROWS_MAX }, (_, i) => ({
    ...seedRow(mentions, 10_000 + i),
    source: i % 100 === 0 ? 'rare' : 'common',
  }));
  await seedRecords(service.pool, workspaceId, mentions.resource, rows);
  const sent = rows.length / 100;
  const token = await service.token(workspaceId);
  const before = await used();
  const { text } = await service.request(token, '/v1/mentions/export?source=rare');
  expect(text.split('\n')).toHaveLength(sent + 1);
  expect((await used()) - before).toBe(Math.ceil(sent / 100));
});
