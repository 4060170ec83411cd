import { waitFor } from '@svc/embedded-postgres/testing';
import { createSignInLink } from '@svc/service/dashboard';
import { createTestDashboard, PUBLIC_URL } from '@svc/service/harness/dashboard.ts';
import { bearer } from '@svc/service/harness/running-service.ts';
import { secret } from '@svc/service/harness/secrets.ts';
import { createTestService } from '@svc/service/harness/service.ts';
import { expect, test } from 'vitest';
import { createDemoKeys, DEMO_KEYS_KEPT } from '../src/demo/keys.ts';
import { CLIENTS } from '../src/demo/traffic.ts';

const service = await createTestService();
const { app, pool } = service;
const { userId, workspaceId } = await createTestDashboard(service).bootstrap();
const url = await app.listen({ host: '127.0.0.1', port: 0 });

/** What a start of the demo does. */
async function start(withClients = false) {
  const signInLink = await createSignInLink({ pool, publicUrl: PUBLIC_URL, userId });
  const keys = await createDemoKeys({ url, publicUrl: PUBLIC_URL, workspaceId, signInLink }, withClients);
  for (const token of [keys.testKey, keys.liveKey]) secret(token);
  return keys;
}

/** Usage is counted about once a second. */
const COUNTED = { timeout: 20_000 };
const status = async (token: string): Promise<number> =>
  (await fetch(`${url}/v1/companies`, { headers: bearer(token) })).status;

test('after restarts of the demo, only a limited number of its keys stays valid: those used or created last', async () => {
  const own = await service.token(workspaceId);
  const first = await start();
  const later = [await start()];
  await pool.query("update api_keys set created_at = created_at - interval '1 day'");
  expect(await status(first.testKey)).toBe(200);
  await waitFor(async () => {
    const { rowCount } = await pool.query('select 1 from key_usage where last_used_at is not null');
    expect(rowCount).toBe(1);
  }, COUNTED);
  while (later.length < DEMO_KEYS_KEPT) later.push(await start());
  const active = await pool.query(
    "select name, count(*)::int as keys from api_keys where revoked_at is null and name like 'Demo%' group by name",
  );
  expect(active.rows).toEqual(
    expect.arrayContaining(
      ['Demo live key', 'Demo test key'].map((name) => ({ name, keys: DEMO_KEYS_KEPT })),
    ),
  );
  const [second] = later;
  const statuses = [first.testKey, first.liveKey, second?.testKey ?? '', second?.liveKey ?? '', own].map(
    status,
  );
  expect(await Promise.all(statuses)).toEqual([200, 401, 401, 200, 200]);
});

test('a start after one that was killed before it made the requests uses the keys that are there', async () => {
  const [killed, next] = [await start(true), await start(true)];
  expect(killed.clients.size).toBe(CLIENTS.length);
  expect(next.clients).toEqual(killed.clients);
});
