import { expect, test } from 'vitest';
import {
  createTestDashboard,
  newEmail,
  PASSWORD,
  PUBLIC_URL,
  tokenOf,
} from '../../../test/harness/dashboard.ts';
import { createTestService } from '../../../test/harness/service.ts';
import { createSetUpLink } from '../index.ts';

test('everybody can ask whether the service has an owner, and whether a set-up link still works', async () => {
  const { pool, ...service } = await createTestService();
  const { nobody } = createTestDashboard({ pool, ...service });
  const token = tokenOf((await createSetUpLink({ pool, publicUrl: PUBLIC_URL })) ?? '');
  const look = async () => [
    (await nobody.send('GET', '/set-up')).json(),
    (await nobody.send('POST', '/set-up/read', { token })).status,
  ];
  expect(await look()).toEqual([{ done: false }, 204]);
  // Reading does not use the link up.
  expect(await look()).toEqual([{ done: false }, 204]);
  const owner = { name: 'Ada', email: newEmail(), password: PASSWORD, workspaceName: 'First' };
  expect((await nobody.send('POST', '/set-up', { token, ...owner })).status).toBe(201);
  expect(await look()).toEqual([{ done: true }, 400]);
});
