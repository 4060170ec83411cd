import { randomBytes } from 'node:crypto';
import { waitFor } from '@svc/embedded-postgres/testing';
import { expect, test } from 'vitest';
import { onFileEnd } from '../harness/cleanup.ts';
import { bootstrapWorkspace, signIn } from '../harness/dashboard-http.ts';
import { createTestDatabase } from '../harness/database.ts';
import { requestEntries } from '../harness/entries.ts';
import { startProxy } from '../harness/postgres/proxy.ts';
import { startSvcd } from '../harness/process.ts';
import { bearer } from '../harness/running-service.ts';

const REQUESTS = 400;
/** Far less than the statements of so many requests would take one after the other. */
const ANSWERED_WITHIN_MS = 20_000;

const { pool, url } = await createTestDatabase();
const [, name = '', host = ''] = /@\/(\w+)\?host=(.*)$/.exec(url) ?? [];
const proxy = await startProxy(`${decodeURIComponent(host)}/.s.PGSQL.5432`);
onFileEnd(proxy.close);
const env = {
  SVC_DATABASE_URL: url.replace(/@\/.*$/, `@127.0.0.1:${proxy.port}/${name}`),
  SVC_SECRET: randomBytes(32).toString('base64url'),
};
const service = await startSvcd(env);
const workspaceId = await bootstrapWorkspace(env);
const { token } = await (await signIn(service)).createKey(workspaceId);

/** Sends a request that needs no read, only its audit entry. Returns the status and Retry-After. */
async function ask(): Promise<readonly [number, string | null]> {
  const response = await fetch(`${service.url}/v1/nothing`, {
    headers: bearer(token),
    signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
  });
  await response.arrayBuffer();
  return [response.status, response.headers.get('retry-after')];
}

test('while the database hangs, each request is refused soon; when it continues, requests are answered at once', async () => {
  expect(await ask()).toEqual([404, null]);
  proxy.freeze();
  const refused = await Promise.all(Array.from({ length: REQUESTS }, ask));
  expect(new Set(refused.map(String))).toEqual(new Set([String([503, '1'])]));
  proxy.flow();
  await waitFor(async () => expect(await ask()).toEqual([404, null]));

  const before = (await requestEntries(pool, workspaceId)).length;
  const answered = await Promise.all(Array.from({ length: REQUESTS }, ask));
  expect(new Set(answered.map(String))).toEqual(new Set([String([404, null])]));
  expect(await requestEntries(pool, workspaceId)).toHaveLength(before + REQUESTS);
  expect(await service.stop()).toEqual({ code: 0, signal: null });
});

test('a request to one of several workers whose log is held for too long gets a 503, which is logged as a warning', async () => {
  const node = await startSvcd({ ...env, SVC_DATABASE_URL: url, SVC_WORKERS: '2' });
  const holder = await pool.connect();
  await holder.query('begin');
  await holder.query('select from live_meters where workspace_id = $1 for update', [workspaceId]);
  const { status, headers } = await fetch(`${node.url}/v1/nothing`, { headers: bearer(token) });
  await holder.query('rollback');
  holder.release();
  expect(status).toBe(503);
  const id = headers.get('request-id');
  const [line] = await node.printed(new RegExp(`^.*"${id}".*entry could not be written.*$`, 'm'));
  expect(JSON.parse(line)).toMatchObject({ level: 40 });
  expect(await node.stop()).toEqual({ code: 0, signal: null });
});
