import { findEmbedded } from '@svc/embedded-postgres';
import { dataDirectory } from '@svc/embedded-postgres/testing';
import { bootstrapWorkspace, signIn } from '@svc/service/harness/dashboard-http.ts';
import { runSvcd, startSvcd } from '@svc/service/harness/process.ts';
import { describe, expect, test } from 'vitest';

const dataDir = await dataDirectory();
const env = { SVC_DATA_DIR: dataDir };

/** Takes the first two ports that the main process finds free, before a worker listens there. */
const THIEF = `
import cluster from 'node:cluster';
import { Server } from 'node:net';
const { close } = Server.prototype;
let left = cluster.isPrimary ? 2 : 0;
Server.prototype.close = function (callback) {
  const port = this.address()?.port;
  if (left === 0 || port === undefined) return close.call(this, callback);
  left -= 1;
  return close.call(this, () => {
    new Server().listen(port, '127.0.0.1', () => {
      process.stderr.write('taken ' + port + '\\n');
      callback?.();
    }).unref();
  });
};`;

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

  test.each(['1', '2'])(
    'with SVC_PORT=0 and %s workers, serves although others take the ports that it finds',
    async (workers) => {
      const service = await startSvcd({
        ...env,
        SVC_WORKERS: workers,
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(THIEF)}`,
      });
      const taken = [...service.stderr().matchAll(/taken (\d+)/g)].map(([, port]) => port);
      expect(taken).toHaveLength(2);
      expect(taken).not.toContain(new URL(service.url).port);
      expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
      expect((await (await fetch(`${service.url}/metrics`)).text()).length).toBeGreaterThan(1_000);
      // A sign-in needs the URL with the port that is used.
      const email = `owner${workers}@example.com`;
      await bootstrapWorkspace(env, email);
      await signIn(service, email);
      expect(await service.stop()).toEqual({ code: 0, signal: null });
    },
  );
});
