import { fingerprintOf } from '@svc/deployment-secrets';
import { sealingKeyName } from '@svc/deployment-secrets/sealed';
import { beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/harness/database.ts';
import { sealingKeys } from '../../dashboard/auth/sealed-factors.ts';
import { inTransaction } from '../../database/pool.ts';
import { createWorkspace } from '../../records/workspaces.ts';
import { judgeSecrets, rememberSecrets } from './confirm.ts';

const OLD = 'the secret of yesterday, 32 characters';
const NEW = 'the secret of today, also 32 characters';
const OTHER = 'a secret of somewhere else, 32 characters';

const { pool } = await createTestDatabase();

/** Inserts a key that needs this secret. Undefined: the secret of the key is not stored. */
async function makeKey(secret?: string): Promise<void> {
  const workspaceId = await inTransaction(pool, (client) => createWorkspace(client, 'test'));
  await pool.query(
    `insert into api_keys (workspace_id, id, name, mode, access, hint, token_index, salt, salted_hash, created_at, secret_fingerprint)
     values ($1, 'key_1', 'test', 'live', 'read', '', '', '', '', now(), $2)`,
    [workspaceId, secret === undefined ? null : fingerprintOf(secret)],
  );
}

/** Inserts a second factor with this sealed text. */
async function makeFactor(sealed: string): Promise<void> {
  await pool.query(
    `with person as (
      insert into users (id, name, email, created_at, updated_at) values ('u', 'U', 'u@example.com', now(), now()) returning id
    )
    insert into second_factors (id, user_id, secret, backup_codes) select 'f', id, $1, $1 from person`,
    [sealed],
  );
}

/** Inserts an endpoint of a webhook whose secret this secret has sealed. */
async function makeEndpoint(secret: string): Promise<void> {
  const workspaceId = await inTransaction(pool, (client) => createWorkspace(client, 'test'));
  await pool.query(
    `insert into webhook_endpoints (workspace_id, id, url, description, ordered, secret, position)
     values ($1, 'whe_1', 'https://example.com/', '', true, $2, '')`,
    [workspaceId, `${sealingKeyName(secret)}.AAAA`],
  );
}

beforeEach(async () => {
  await pool.query('delete from users');
  await pool.query('delete from deployment_secrets');
  await pool.query('delete from workspaces');
});

test('a new database accepts any secret, and remembers it', async () => {
  expect(await rememberSecrets(pool, [OLD], false)).toBe('new');
  await makeKey(OLD);
  expect(await rememberSecrets(pool, [OLD], false)).toBe('known');
});

test.each([OLD, undefined])(
  'another secret is not accepted if there are keys, unless the operator accepts it',
  async (secret) => {
    await rememberSecrets(pool, [OLD], false);
    await makeKey(secret);
    expect(await rememberSecrets(pool, [NEW], false)).toBe('unknown');
    expect(await judgeSecrets(pool, [NEW])).toBe('unknown');
    expect(await rememberSecrets(pool, [NEW], true)).toBe('unknown');
    expect(await judgeSecrets(pool, [NEW])).toBe('known');
  },
);

test('another secret is not accepted if a person has a second factor', async () => {
  await rememberSecrets(pool, [OLD], false);
  await makeFactor('$ba$1$00');
  expect(await rememberSecrets(pool, [NEW], false)).toBe('unknown');
});

test('another secret is not accepted if the secret of a webhook needs the old one, unless its endpoint is deleted', async () => {
  await rememberSecrets(pool, [OLD], false);
  await makeEndpoint(OLD);
  expect(await judgeSecrets(pool, [NEW])).toBe('unknown');
  expect(await judgeSecrets(pool, [NEW, OLD])).toBe('known');
  await pool.query('update webhook_endpoints set deleted_at = now()');
  expect(await judgeSecrets(pool, [NEW])).toBe('new');
});

test('another secret is accepted if no key or second factor needs the old one', async () => {
  await rememberSecrets(pool, [OLD], false);
  expect(await rememberSecrets(pool, [NEW], false)).toBe('new');
});

test('a rotation with the new secret before the old one is accepted; later the old one may be removed', async () => {
  await rememberSecrets(pool, [OLD], false);
  await makeKey(OLD);
  expect(await rememberSecrets(pool, [NEW, OLD], false)).toBe('known');
  expect(await rememberSecrets(pool, [NEW], false)).toBe('known');
});

describe('a return to an earlier secret', () => {
  test('is not accepted when keys have moved to a newer one', async () => {
    await rememberSecrets(pool, [OLD], false);
    await rememberSecrets(pool, [NEW, OLD], false);
    await makeKey(NEW);
    expect(await rememberSecrets(pool, [OLD], false)).toBe('earlier');
    expect(await judgeSecrets(pool, [OLD, OTHER])).toBe('earlier');
    expect(await judgeSecrets(pool, [OTHER])).toBe('unknown');
    expect(await judgeSecrets(pool, [NEW])).toBe('known');
  });

  test('is not accepted when second factors have moved to a newer one', async () => {
    await rememberSecrets(pool, [OLD], false);
    await rememberSecrets(pool, [NEW, OLD], false);
    await makeFactor(`$ba$${sealingKeys([NEW])[0]?.version}$00`);
    expect(await rememberSecrets(pool, [OLD], false)).toBe('earlier');
    expect(await judgeSecrets(pool, [OLD, OTHER])).toBe('earlier');
    expect(await judgeSecrets(pool, [OTHER])).toBe('unknown');
    expect(await judgeSecrets(pool, [OLD, NEW])).toBe('known');
  });

  test('is not accepted when secrets of webhooks have moved to a newer one', async () => {
    await rememberSecrets(pool, [OLD], false);
    await rememberSecrets(pool, [NEW, OLD], false);
    await makeEndpoint(NEW);
    expect(await judgeSecrets(pool, [OLD])).toBe('earlier');
    expect(await judgeSecrets(pool, [OLD, NEW])).toBe('known');
  });

  test('is accepted if the newer one follows it; then the earlier one issues again', async () => {
    await rememberSecrets(pool, [OLD], false);
    await rememberSecrets(pool, [NEW, OLD], false);
    await makeKey(NEW);
    expect(await rememberSecrets(pool, [OLD, NEW], false)).toBe('known');
    await makeKey(OLD);
    expect(await rememberSecrets(pool, [NEW], false)).toBe('earlier');
  });

  test('is accepted if no key or second factor has moved', async () => {
    await rememberSecrets(pool, [OLD], false);
    await makeKey(OLD);
    await makeFactor('$ba$1$00');
    await rememberSecrets(pool, [NEW, OLD], false);
    expect(await rememberSecrets(pool, [OLD], false)).toBe('new');
  });
});

test('nodes that start at the same time store one secret once', async () => {
  await Promise.all([rememberSecrets(pool, [OLD], false), rememberSecrets(pool, [OLD], false)]);
  const { rows } = await pool.query('select fingerprint from deployment_secrets');
  expect(rows).toEqual([{ fingerprint: fingerprintOf(OLD) }]);
});

test('a fingerprint does not reveal its secret', () => {
  expect(fingerprintOf(OLD)).toMatch(/^[0-9a-f]{64}$/);
  expect(fingerprintOf(OLD)).not.toBe(fingerprintOf(NEW));
});
