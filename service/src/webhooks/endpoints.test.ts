import { createSecretSealer } from '@svc/deployment-secrets/sealed';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../test/harness/database.ts';
import { inTransaction } from '../database/pool.ts';
import { createWorkspace } from '../records/workspaces.ts';
import {
  createEndpoint,
  ENDPOINTS_MAX,
  type EndpointSettings,
  readEndpoint,
  rotateSecret,
} from './endpoints.ts';
import { examineEndpointSecrets, resealEndpointSecrets } from './reseal.ts';

const [OLD, NEW] = ['an older secret of 32 characters or more', 'a newer secret of 32 characters or more'];
const older = createSecretSealer([OLD]);
const both = createSecretSealer([NEW, OLD]);
const newer = createSecretSealer([NEW]);

const { pool } = await createTestDatabase();
const SETTINGS: EndpointSettings = {
  url: 'https://example.com/hook',
  description: 'Orders',
  types: ['content.updated'],
  companyId: 'com_1',
  ordered: true,
};
const workspace = () => inTransaction(pool, (client) => createWorkspace(client, 'test'));

async function endpointOf(workspaceId: string) {
  const created = await inTransaction(pool, (client) =>
    createEndpoint(client, older, workspaceId, SETTINGS, 'chg_1'),
  );
  if (created === undefined) throw new Error('there are too many endpoints');
  return created;
}

test('an endpoint has the settings, a position and a new secret', async () => {
  const workspaceId = await workspace();
  const { id, secret } = await endpointOf(workspaceId);
  expect(id).toMatch(/^whe_/);
  expect(() => new Webhook(secret)).not.toThrow();
  const settings = { ...SETTINGS, updatedAt: expect.any(String) };
  const expected = { ...settings, enabled: true, position: 'chg_1', replayFrom: null, secrets: [secret] };
  expect(await readEndpoint(pool, older, workspaceId, id)).toEqual(expected);
  expect(await readEndpoint(pool, older, await workspace(), id)).toBeUndefined();
});

test('the database contains no secret', async () => {
  const workspaceId = await workspace();
  const { id, secret } = await endpointOf(workspaceId);
  await rotateSecret(pool, older, workspaceId, id);
  const { rows } = await pool.query<{ text: string }>(
    'select e::text as text from webhook_endpoints e where id = $1',
    [id],
  );
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  for (const form of [secret, secret.slice(6), key.toString('hex'), key.toString('base64url')]) {
    expect(rows[0]?.text).not.toContain(form);
  }
});

test('a sealed secret opens only at its endpoint', async () => {
  const workspaceId = await workspace();
  const [first, second] = [await endpointOf(workspaceId), await endpointOf(workspaceId)];
  await pool.query(
    `update webhook_endpoints
     set secret = (select secret from webhook_endpoints where workspace_id = $3 and id = $1) where workspace_id = $3 and id = $2`,
    [first.id, second.id, workspaceId],
  );
  expect(await readEndpoint(pool, older, workspaceId, second.id)).toMatchObject({ secrets: [] });
});

test.each(['', 'a', 'a.b', `${older.prefix}`, `${older.prefix}AAAA`])(
  'a damaged sealed secret does not open: %s',
  (text) => {
    expect(older.open(text, { workspaceId: 'wks_1', endpointId: 'whe_1' })).toBeUndefined();
  },
);

test('after a rotation, the previous secret signs too for 24 hours', async () => {
  const workspaceId = await workspace();
  const { id, secret } = await endpointOf(workspaceId);
  const next = await rotateSecret(pool, older, workspaceId, id);
  expect(await readEndpoint(pool, older, workspaceId, id)).toMatchObject({ secrets: [next, secret] });
  const { rows } = await pool.query(
    'select previous_until - now() as left from webhook_endpoints where id = $1',
    [id],
  );
  expect(rows[0].left.hours ?? 24).toBeGreaterThanOrEqual(23);
  await pool.query(
    "update webhook_endpoints set previous_until = now() - interval '1 second' where id = $1",
    [id],
  );
  expect(await readEndpoint(pool, older, workspaceId, id)).toMatchObject({ secrets: [next] });
  expect(await rotateSecret(pool, older, workspaceId, 'whe_none')).toBeUndefined();
});

test('a workspace has a limited number of endpoints, also when many are created at once', async () => {
  const workspaceId = await workspace();
  const results = await Promise.all(
    Array.from({ length: ENDPOINTS_MAX + 5 }, () =>
      inTransaction(pool, (client) => createEndpoint(client, older, workspaceId, SETTINGS, 'chg_1')),
    ),
  );
  expect(results.filter((created) => created !== undefined)).toHaveLength(ENDPOINTS_MAX);
  await endpointOf(await workspace());
});

test('secrets open with every secret of the deployment, and move to the first one', async () => {
  await pool.query('delete from webhook_endpoints');
  const workspaceId = await workspace();
  const endpoints = [
    await endpointOf(workspaceId),
    await endpointOf(workspaceId),
    await endpointOf(workspaceId),
  ];
  const [first] = endpoints;
  const next = await rotateSecret(pool, older, workspaceId, first?.id ?? '');
  const secretsWith = async (sealer: typeof older) =>
    Promise.all(
      endpoints.map(async ({ id }) => (await readEndpoint(pool, sealer, workspaceId, id))?.secrets),
    );
  const expected = [[next, first?.secret], ...endpoints.slice(1).map(({ secret }) => [secret])];
  expect(await secretsWith(both)).toEqual(expected);
  expect(await secretsWith(newer)).toEqual([[], [], []]);
  expect(await resealEndpointSecrets(pool, newer)).toBe(0);
  expect(await examineEndpointSecrets(pool, older)).toEqual({ old: 0, lost: [] });
  expect(await examineEndpointSecrets(pool, both)).toEqual({ old: 3, lost: [] });
  const lost = endpoints.map(({ id }) => `${id} (${workspaceId})`);
  expect(await examineEndpointSecrets(pool, newer)).toEqual({ old: 0, lost });
  expect(await resealEndpointSecrets(pool, both)).toBe(3);
  expect(await resealEndpointSecrets(pool, both)).toBe(0);
  expect(await examineEndpointSecrets(pool, newer)).toEqual({ old: 0, lost: [] });
  expect(await secretsWith(newer)).toEqual(expected);
  expect(await secretsWith(older)).toEqual([[], [], []]);
});

test('an endpoint needs an older secret while its previous secret signs, and a deleted endpoint needs none', async () => {
  await pool.query('delete from webhook_endpoints');
  const workspaceId = await workspace();
  const { id } = await endpointOf(workspaceId);
  const examined = () => examineEndpointSecrets(pool, both);
  await rotateSecret(pool, both, workspaceId, id);
  expect(await examined()).toEqual({ old: 1, lost: [] });
  // Without the older secret, the previous one signs no longer, but the current one does.
  expect(await examineEndpointSecrets(pool, newer)).toEqual({ old: 0, lost: [] });
  await pool.query('update webhook_endpoints set previous_until = now()');
  expect(await examined()).toEqual({ old: 0, lost: [] });
  const other = await endpointOf(workspaceId);
  expect(await examined()).toEqual({ old: 1, lost: [] });
  await pool.query('update webhook_endpoints set deleted_at = now() where id = $1', [other.id]);
  expect(await examined()).toEqual({ old: 0, lost: [] });
});

test('the other secrets are sealed with the new secret if one cannot be, and the failure is seen', async () => {
  await pool.query('delete from webhook_endpoints');
  const workspaceId = await workspace();
  const ids = [(await endpointOf(workspaceId)).id, (await endpointOf(workspaceId)).id].toSorted();
  await pool.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger refuse before update on webhook_endpoints for each row when (old.id = '${ids[0]}') execute function refuse()`);
  await expect(resealEndpointSecrets(pool, both)).rejects.toThrow(`${ids[0]}: refused`);
  await pool.query('drop trigger refuse on webhook_endpoints; drop function refuse');
  expect(await resealEndpointSecrets(pool, both)).toBe(1);
});
