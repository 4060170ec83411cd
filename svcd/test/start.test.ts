import { findEmbedded } from '@svc/embedded-postgres';
import { dataDirectory } from '@svc/embedded-postgres/testing';
import { bootstrapWorkspace, signIn } from '@svc/service/harness/dashboard-http.ts';
import { runSvcd, startSvcd } from '@svc/service/harness/process.ts';
import { describe, expect, test } from 'vitest';

const dataDir = await dataDirectory();
const env = { SVC_DATA_DIR: dataDir };

describe('svcd start', () => {
  test('creates a database and serves, accepts a key of the dashboard, and ends with code 0 on SIGTERM', async () => {
    const service = await startSvcd(env);
    const workspaceId = await bootstrapWorkspace(env);
    const { token } = await (await signIn(service)).createKey(workspaceId);
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${service.url}/v1/companies`, { headers });
    expect([answer.status, await answer.json()]).toMatchObject([200, { data: [] }]);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(await findEmbedded(dataDir)).toBeUndefined();
  });

  test('when it listens on all addresses, people can sign in at the address that it prints', async () => {
    const service = await startSvcd({ ...env, SVC_HOST: '0.0.0.0' });
    expect(service.url).toMatch(/^http:\/\/localhost:\d+$/);
    expect(service.stderr()).not.toContain('public ');
    expect(service.stdout()).toContain(`sign-in work only at ${service.url}: set SVC_PUBLIC_URL`);
    const workspaceId = await bootstrapWorkspace(env);
    await (await signIn(service)).createKey(workspaceId);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });

  test('a second service on the same data directory is refused with the process id of the first', async () => {
    const first = await startSvcd(env);
    const second = await runSvcd(['start'], { env: { ...env, SVC_PORT: '0', SVC_WORKERS: '1' } });
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`is in use by svcd start (pid ${first.pid})`);
    expect(second.stderr.trim().split('\n')).toHaveLength(1);
    expect(await first.stop()).toEqual({ code: 0, signal: null });
  });
});
