import { dataDirectory } from '@svc/embedded-postgres/testing';
import { expect, test } from 'vitest';
import { bootstrapWorkspace, signIn } from '../harness/dashboard-http.ts';
import { startSvcd } from '../harness/process.ts';
import { bearer, connectEmbedded } from '../harness/running-service.ts';

const DAYS_AHEAD = 600;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Moves the clock of a Node process, not the database's. */
const AHEAD = `--import=data:text/javascript,const{now}=Date;Date.now=()=>now()+${DAYS_AHEAD * DAY_MS}`;

test('one start on a machine whose clock is wrong neither erases the audit log nor stops the service', async () => {
  const dataDir = await dataDirectory();
  const env = { SVC_DATA_DIR: dataDir };
  const right = await startSvcd(env);
  const workspaceId = await bootstrapWorkspace(env);
  const { token } = await (await signIn(right)).createKey(workspaceId);
  const list = (url: string) => fetch(`${url}/v1/companies`, { headers: bearer(token) });
  expect((await list(right.url)).status).toBe(200);
  await right.stop();

  const wrong = await startSvcd({ ...env, NODE_OPTIONS: AHEAD });
  // Partitions are created by the clock of the database, so there is one for the new entry.
  expect((await list(wrong.url)).status).toBe(200);
  const client = await connectEmbedded(dataDir);
  const { rows } = await client.query<{ entries: number }>(
    `select count(*)::int as entries from audit_log where kind = 'api.request'`,
  );
  expect(rows).toEqual([{ entries: 2 }]);
  await client.end();
  await wrong.stop();
});
