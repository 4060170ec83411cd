import { expect, test } from 'vitest';
import { createTestDashboard, PASSWORD } from '../../../test/harness/dashboard.ts';
import { createTestService } from '../../../test/harness/service.ts';

const service = await createTestService();
const dashboard = createTestDashboard(service);

test('a request of a page that was loaded for somebody else is refused, and changes nothing', async () => {
  const ada = await dashboard.owner();
  const bob = await dashboard.member(ada.workspaceId, 'admin');
  const path = `/workspaces/${ada.workspaceId}`;
  const enabling = await bob.send('POST', '/auth/two-factor/enable', { password: PASSWORD });
  expect(enabling.status).toBe(200);
  for (const [method, target, body] of [
    ['GET', '/me', undefined],
    ['GET', '/auth/list-sessions', undefined],
    ['PATCH', path, { name: 'Renamed' }],
    ['POST', '/auth/two-factor/verify-totp', { code: '000000' }],
    ['POST', '/auth/revoke-other-sessions', {}],
    ['POST', '/auth/sign-out', {}],
  ] as const) {
    const answer = await bob.send(method, target, body, { headers: { 'svc-user': ada.userId } });
    expect(answer.status, target).toBe(409);
    expect(answer.json()).toMatchObject({ error: { code: 'person_changed' } });
  }
  const changed = { currentPassword: 'a wrong password', newPassword: 'another long password 2' };
  for (let attempt = 0; attempt < 20; attempt++) {
    const answer = await bob.send('POST', '/auth/change-password', changed, {
      headers: { 'svc-user': ada.userId },
    });
    expect(answer.json(), `attempt ${attempt}`).toMatchObject({ error: { code: 'person_changed' } });
  }
  const own = await bob.send('GET', path, undefined, { headers: { 'svc-user': bob.userId } });
  expect(own.json()).toMatchObject({ name: 'Test' });
});
