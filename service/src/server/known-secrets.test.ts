import { beforeEach, expect, test } from 'vitest';
import { createTestDatabase } from '../../test/harness/database.ts';
import { inTransaction } from '../database/pool.ts';
import { createWorkspace } from '../workspaces.ts';
import { fingerprintOf, judgeSecrets, rememberSecrets } from './known-secrets.ts';

const OLD = 'the secret of yesterday, 32 characters';
const NEW = 'the secret of today, also 32 characters';

const { pool } = await createTestDatabase();

async function makeKey(): Promise<void> {
  const workspaceId = await inTransaction(pool, (client) => createWorkspace(client, 'test'));
  await pool.query(
    `insert into api_keys (workspace_id, id, name, mode, access, hint, token_index, salt, salted_hash, created_at)
     values ($1, 'key_1', 'test', 'live', 'read', '', '', '', '', now())`,
    [workspaceId],
  );
}

beforeEach(async () => {
  await pool.query('delete from deployment_secrets');
  await pool.query('delete from workspaces');
});

test('a new database takes any secret, and knows it from then on', async () => {
  expect(await rememberSecrets(pool, [OLD], false)).toBe('new');
  await makeKey();
  expect(await rememberSecrets(pool, [OLD], false)).toBe('known');
});

test('another secret is not accepted while there are keys, unless that is wanted', async () => {
  await rememberSecrets(pool, [OLD], false);
  await makeKey();
  expect(await rememberSecrets(pool, [NEW], false)).toBe('unknown');
  expect(await judgeSecrets(pool, [NEW])).toBe('unknown');
  expect(await rememberSecrets(pool, [NEW], true)).toBe('unknown');
  expect(await judgeSecrets(pool, [NEW])).toBe('known');
});

test('another secret is accepted when there is nothing that it could break', async () => {
  await rememberSecrets(pool, [OLD], false);
  expect(await rememberSecrets(pool, [NEW], false)).toBe('new');
});

test('a rotation, the new secret ahead of the old one, is accepted; then the old one may go', async () => {
  await rememberSecrets(pool, [OLD], false);
  await makeKey();
  expect(await rememberSecrets(pool, [NEW, OLD], false)).toBe('known');
  expect(await rememberSecrets(pool, [NEW], false)).toBe('known');
});

test('nodes that start at the same instant remember one secret once', async () => {
  await Promise.all([rememberSecrets(pool, [OLD], false), rememberSecrets(pool, [OLD], false)]);
  const { rows } = await pool.query('select fingerprint from deployment_secrets');
  expect(rows).toEqual([{ fingerprint: fingerprintOf(OLD) }]);
});

test('a fingerprint says nothing of its secret', () => {
  expect(fingerprintOf(OLD)).toMatch(/^[0-9a-f]{64}$/);
  expect(fingerprintOf(OLD)).not.toBe(fingerprintOf(NEW));
});
