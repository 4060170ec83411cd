import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DashboardSession, PASSWORD, signIn } from '@svc/service/harness/dashboard-http.ts';
import { runSvcd, spawnSvcd, startSvcd } from '@svc/service/harness/process.ts';
import { bearer, connectEmbedded, startRunningService } from '@svc/service/harness/running-service.ts';
import { secret } from '@svc/service/harness/secrets.ts';
import { totpCode } from '@svc/service/harness/totp.ts';
import { describe, expect, test } from 'vitest';
import type { Finding } from '../src/doctor/check.ts';

test('a service whose secret was lost refuses to start until the old secret is restored or a new one is accepted', async () => {
  const { service, env, key } = await startRunningService();
  const file = join(env['SVC_DATA_DIR'] ?? '', 'secret');
  const status = async (url: string): Promise<number> =>
    (await fetch(`${url}/v1/companies`, { headers: bearer(key.token) })).status;
  const saved = await readFile(file, 'utf8');
  await service.stop();
  await rm(file);

  const start = () => runSvcd(['start'], { env: { ...env, SVC_PORT: '0', SVC_WORKERS: '1' } });
  const setPassword = () =>
    runSvcd(['user', 'reset-password', '--email', 'owner@example.com', '--set'], { env, input: PASSWORD });
  for (const run of [start, setPassword]) {
    const refused = await run();
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^svcd: there is no secret in .*\/secret, and API keys, .* Put it there .*\n$/),
    ]);
    // The operator has put no wrong secret there, so no later start may say so.
    await expect(stat(file)).rejects.toThrow(/ENOENT/);
  }

  await writeFile(file, 'another secret of 32 characters or more');
  const wrong = await start();
  expect([wrong.code, wrong.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^svcd: the secret in .*\/secret is not the one that the API keys, second factors and webhooks .*\n$/,
    ),
  ]);

  await writeFile(file, saved);
  const restored = await startSvcd(env);
  expect(await status(restored.url)).toBe(200);
  await restored.stop();

  await rm(file);
  const renewed = spawnSvcd(['start', '--accept-new-secret'], {
    env: { ...env, SVC_PORT: '0', SVC_WORKERS: '1' },
  });
  const [, url = ''] = await renewed.printed(/^svc serves (http:\S+)$/m);
  expect(renewed.stdout()).toContain('API keys and sessions of other secrets no longer work');
  expect(await status(url)).toBe(401);
  expect(await renewed.stop()).toEqual({ code: 0, signal: null });
});

const [OLD, NEW] = [
  'the secret of yesterday with 32 characters',
  'the secret of today with its 32 characters',
];

describe('a rotation of SVC_SECRET', () => {
  const status = async (url: string, token: string): Promise<number> =>
    (await fetch(`${url}/v1/companies`, { headers: bearer(token) })).status;
  const findingsOf = async (env: Readonly<Record<string, string>>): Promise<ReadonlyMap<string, Finding>> => {
    const { stdout } = await runSvcd(['doctor', '--json'], { env });
    const { checks } = JSON.parse(stdout) as { readonly checks: readonly Finding[] };
    return new Map(checks.map((finding) => [finding.check, finding]));
  };

  /** Creates an endpoint, and returns its id and where its secret is. */
  const createEndpoint = async (dashboard: DashboardSession, workspaceId: string) => {
    const path = `/workspaces/${workspaceId}/webhooks`;
    const settings = { url: 'https://example.com/hook', description: '', companyId: null, ordered: true };
    const { endpoint, secret: first } = await dashboard.post<{
      readonly endpoint: { readonly id: string };
      readonly secret: string;
    }>(path, { ...settings, types: ['company.deleted'] });
    secret(first);
    return { id: endpoint.id, secret: first, path: `${path}/${endpoint.id}/secret` };
  };

  test('keeps keys and second factors, and svcd doctor says when the old secret may be removed', async () => {
    const { service, env, key, dashboard, workspaceId } = await startRunningService({ SVC_SECRET: OLD });
    const unused = await dashboard.createKey(workspaceId, { name: 'unused' });
    const endpoint = await createEndpoint(dashboard, workspaceId);
    const uri = await enableSecondFactor(dashboard);
    await service.stop();

    const rotation = { ...env, SVC_SECRET: `${NEW},${OLD}` };
    expect((await findingsOf(rotation)).get('rotation')?.text).toContain('1 webhook endpoint');
    const rotating = await startSvcd(rotation);
    expect(rotating.stdout()).toContain('sealed second factors with the first secret: 1');
    expect(rotating.stdout()).toContain('sealed secrets of webhooks with the first secret: 1');
    expect(await status(rotating.url, key.token)).toBe(200);
    const needed = (await findingsOf(rotation)).get('rotation');
    expect(needed).toMatchObject({ status: 'warn', text: expect.stringContaining('cursors, for 24 hours') });
    expect(needed?.text).toContain(`1 key not used since: unused (${unused.key.id}, ${workspaceId})`);
    expect(needed?.text).not.toMatch(/second factors|webhook/);
    expect((await findingsOf(rotation)).get('webhooks')).toMatchObject({ status: 'ok' });
    expect(await status(rotating.url, unused.token)).toBe(200);
    const client = await connectEmbedded(env['SVC_DATA_DIR'] ?? '');
    await client.query(`update deployment_secrets set issuing_since = issuing_since - interval '25 hours'`);
    expect((await findingsOf(rotation)).get('rotation')).toMatchObject({ status: 'ok' });
    await rotating.stop();

    const rotated = await startSvcd({ ...env, SVC_SECRET: NEW });
    expect(await status(rotated.url, key.token)).toBe(200);
    expect(await status(rotated.url, unused.token)).toBe(200);
    const again = await enterWithCode(rotated.url, totpCode(uri, 1));
    expect(await again.get(endpoint.path)).toMatchObject({ secret: endpoint.secret });
    await rotated.stop();
  });

  test('cannot be undone with only the old secret, because keys have moved; --accept-new-secret lists what is lost', async () => {
    const { service, env, key, dashboard, workspaceId } = await startRunningService({ SVC_SECRET: OLD });
    const endpoint = await createEndpoint(dashboard, workspaceId);
    await enableSecondFactor(dashboard);
    await service.stop();
    const rotating = await startSvcd({ ...env, SVC_SECRET: `${NEW},${OLD}` });
    expect(await status(rotating.url, key.token)).toBe(200);
    await rotating.stop();

    const back = { ...env, SVC_SECRET: OLD, SVC_PORT: '0', SVC_WORKERS: '1' };
    const refused = await runSvcd(['start'], { env: back });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^svcd: the secret in SVC_SECRET is an earlier secret of this database: .*\n$/),
    ]);
    expect((await findingsOf(back)).get('keys')).toMatchObject({
      status: 'fail',
      text: expect.stringContaining('an earlier secret'),
    });
    const accepted = spawnSvcd(['start', '--accept-new-secret'], { env: back });
    await accepted.printed(/^svc serves (http:\S+)$/m);
    expect(accepted.stdout()).toContain(
      `1 API key does not work, because the secret is not configured: test (${key.key.id}, ${workspaceId})`,
    );
    expect(accepted.stdout()).toContain('these people must set it up again: owner@example.com');
    const lost = `1 endpoint gets no webhooks, because the secret that sealed theirs is not configured`;
    expect(accepted.stdout()).toContain(lost);
    const findings = await findingsOf(back);
    expect(findings.get('webhooks')).toMatchObject({
      status: 'warn',
      text: `${lost}: ${endpoint.id} (${workspaceId})`,
    });
    expect(findings.get('keys')).toMatchObject({ status: 'warn' });
    expect(findings.get('second factors')).toMatchObject({
      status: 'warn',
      text: expect.stringContaining('owner@example.com'),
    });
    expect(await accepted.stop()).toEqual({ code: 0, signal: null });
  });
});

/** Sets up an authenticator for the owner; returns its address. */
async function enableSecondFactor(dashboard: DashboardSession): Promise<string> {
  const enabled = await dashboard.post<{ readonly totpURI: string; readonly backupCodes: string[] }>(
    '/auth/two-factor/enable',
    { password: PASSWORD },
  );
  for (const one of enabled.backupCodes) secret(one);
  await dashboard.post('/auth/two-factor/verify-totp', { code: totpCode(enabled.totpURI) });
  return enabled.totpURI;
}

/** Signs the owner in with both factors; throws when one is refused. */
async function enterWithCode(url: string, code: string): Promise<DashboardSession> {
  const session = await signIn({ url });
  await session.post('/auth/two-factor/verify-totp', { code });
  return session;
}
