import { PASSWORD } from '@svc/service/harness/dashboard-http.ts';
import { runSvcd } from '@svc/service/harness/process.ts';
import { connectEmbedded, startRunningService } from '@svc/service/harness/running-service.ts';
import { secret } from '@svc/service/harness/secrets.ts';
import { totpCode } from '@svc/service/harness/totp.ts';
import { expect, test } from 'vitest';

const OWNER = 'owner@example.com';
const FIRST = secret('the first new password of the owner');
const SECOND = secret('the second new password of the owner');

test('svcd user resets a lost password and a lost second factor while the service runs', async () => {
  const { service, env, workspaceId, dashboard } = await startRunningService();
  const entered = (password: string): Promise<Response> =>
    fetch(`${service.url}/dashboard/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: service.url },
      body: JSON.stringify({ email: OWNER, password }),
    });
  const { totpURI, backupCodes } = await dashboard.post<{ totpURI: string; backupCodes: string[] }>(
    '/auth/two-factor/enable',
    { password: PASSWORD },
  );
  for (const code of backupCodes) secret(code);
  await dashboard.post('/auth/two-factor/verify-totp', { code: totpCode(totpURI) });

  const users = await runSvcd(['user', 'list', '--json'], { env });
  expect(
    users.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    {
      email: OWNER,
      name: 'owner',
      secondFactor: true,
      workspaces: [{ id: workspaceId, name: 'Test', role: 'owner' }],
    },
  ]);
  const shown = await runSvcd(['user', 'list'], { env });
  expect(shown.stdout).toBe(`${OWNER} [second factor]: owner of "Test" (${workspaceId})\n`);

  const set = ['user', 'reset-password', '--email', OWNER, '--set'];
  expect((await runSvcd(set, { env, input: `${FIRST}\n` })).code).toBe(0);
  expect(await (await entered(FIRST)).json()).toMatchObject({ twoFactorRedirect: true });
  expect((await entered(PASSWORD)).status).toBe(401);
  const short = await runSvcd(set, { env, input: 'short\n' });
  expect([short.code, short.stderr]).toEqual([2, expect.stringContaining('10 to 128 characters')]);

  const factor = ['user', 'reset-second-factor', '--email', OWNER];
  expect((await runSvcd(factor, { env })).stderr).toContain('with the password only');
  expect((await runSvcd(factor, { env })).stderr).toContain('no second factor. Nothing was changed.');
  const open = await entered(FIRST);
  expect(open.status).toBe(200);
  const cookie = open.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';

  const made = await runSvcd(['user', 'reset-password', '--email', OWNER], {
    env: { ...env, SVC_PUBLIC_URL: service.url },
    resultIsSecret: true,
  });
  const link = new URL(made.stdout.trim());
  expect(link.href).toMatch(new RegExp(`^${service.url}/password-reset#token=`));
  const token = secret(new URLSearchParams(link.hash.slice(1)).get('token') ?? '');
  const reset = await fetch(`${service.url}/dashboard/api/password-reset`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: service.url },
    body: JSON.stringify({ token, password: SECOND }),
  });
  expect(reset.status).toBe(204);
  expect((await fetch(`${service.url}/dashboard/api/me`, { headers: { cookie } })).status).toBe(401);
  expect((await entered(SECOND)).status).toBe(200);

  const nobody = await runSvcd(['user', 'reset-password', '--email', 'nobody@example.com'], { env });
  expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining('nobody has the email address')]);

  const client = await connectEmbedded(env['SVC_DATA_DIR'] ?? '');
  const { rows } = await client.query<{ entry: object }>(
    `select doc::json as entry from audit_log where workspace_id = $1 and kind like 'account.%reset%' order by created_at`,
    [workspaceId],
  );
  const [operator, person] = [{ actor: null }, { actor: OWNER, ip: '127.0.0.1' }];
  expect(rows.map(({ entry }) => entry)).toMatchObject([
    { ...operator, kind: 'account.password_reset', targetLabel: OWNER, details: { method: 'operator' } },
    { ...operator, kind: 'account.second_factor_reset', targetLabel: OWNER },
    { ...operator, kind: 'account.reset_link_created', targetLabel: OWNER },
    { ...person, kind: 'account.password_reset', targetLabel: OWNER, details: { method: 'link' } },
  ]);
});

test('svcd user works without a service: it starts the database itself', async () => {
  const { service, env } = await startRunningService();
  await service.stop();
  const set = await runSvcd(['user', 'reset-password', '--email', OWNER, '--set'], { env, input: FIRST });
  expect([set.code, set.stderr]).toEqual([0, expect.stringContaining('has a new password')]);
});
