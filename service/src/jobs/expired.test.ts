import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/harness/database.ts';
import { inTransaction } from '../database/pool.ts';
import { createWorkspace } from '../workspaces.ts';
import { deleteExpired } from './expired.ts';

test('answers kept for repeated requests are removed after 24 hours, and none before', async () => {
  const { pool } = await createTestDatabase();
  const workspaceId = await inTransaction(pool, (client) => createWorkspace(client, 'test'));
  for (const [key, age] of [
    ['old', '24 hours 1 minute'],
    ['young', '23 hours 59 minutes'],
  ]) {
    await pool.query(
      `insert into idempotency_keys (workspace_id, idempotency_key, fingerprint, status, headers, body, created_at)
       values ($1, $2, '', 201, '{}', '', now() - $3::interval)`,
      [workspaceId, key, age],
    );
  }
  await deleteExpired({ pool, log: pino({ level: 'silent' }) });
  const { rows } = await pool.query('select idempotency_key as key from idempotency_keys');
  expect(rows).toEqual([{ key: 'young' }]);
});
