import { randomBytes } from 'node:crypto';
import { createSecretSealer } from '@svc/deployment-secrets/sealed';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { newestPosition } from '../../src/changes/after.ts';
import { inTransaction } from '../../src/database/pool.ts';
import { createEndpoint } from '../../src/webhooks/endpoints.ts';
import { bootstrapWorkspace, signIn } from '../harness/dashboard-http.ts';
import { createTestDatabase } from '../harness/database.ts';
import { type ServiceProcess, startSvcd } from '../harness/process.ts';
import { bearer } from '../harness/running-service.ts';
import { startReceiver } from '../harness/webhooks/receiver.ts';

const KILLS = 3;
const WRITES_PER_KILL = 60;
const TIMEOUT_MS = 300_000;
/** The endpoints of a killed node wait until its leases end. */
const TAKEN_OVER = { timeout: 60_000 };

/** A receiver that verifies each webhook with the secret that it is given later. */
async function startVerifying() {
  let secret = '';
  const receiver = await startReceiver((response, { body, headers }) => {
    new Webhook(secret).verify(body, headers);
    response.writeHead(200).end();
  });
  return {
    ...receiver,
    trust: (value: string) => {
      secret = value;
    },
  };
}

test(
  'kill -9 of nodes under writes: every change is delivered, in order to an ordered endpoint, and repeats are the same',
  async () => {
    const { url, pool } = await createTestDatabase();
    const deploymentSecret = randomBytes(32).toString('base64url');
    const env = {
      SVC_DATABASE_URL: url,
      SVC_SECRET: deploymentSecret,
      SVC_WORKERS: '1',
      SVC_WEBHOOK_NETWORKS: '127.0.0.1',
    };
    let [killed, other]: ServiceProcess[] = [await startSvcd(env), await startSvcd(env)];
    if (killed === undefined || other === undefined) throw new Error('no node has started');
    const workspaceId = await bootstrapWorkspace(env);
    const { token } = await (await signIn(other)).createKey(workspaceId, { access: 'write' });
    const sealer = createSecretSealer([deploymentSecret]);
    const position = await newestPosition(pool, workspaceId);
    const receivers = await Promise.all(
      [true, false].map(async (ordered) => {
        const receiver = await startVerifying();
        const settings = { url: receiver.url, description: '', types: null, companyId: null, ordered };
        const created = await inTransaction(pool, (client) =>
          createEndpoint(client, sealer, workspaceId, settings, position),
        );
        receiver.trust(created?.secret ?? '');
        return { ...receiver, ordered };
      }),
    );
    const write = async (node: ServiceProcess, name: string): Promise<void> => {
      const answer = await fetch(`${node.url}/v1/companies`, {
        method: 'POST',
        headers: { ...bearer(token), 'content-type': 'application/json' },
        body: JSON.stringify({ name }),
      });
      expect(answer.status).toBe(201);
    };
    for (let round = 0; round < KILLS; round += 1) {
      const before = receivers[0]?.received.length ?? 0;
      const writing = (async () => {
        for (let i = 0; i < WRITES_PER_KILL; i += 1) await write(other, `${round} ${i}`);
      })();
      // A node that delivers is killed in the middle of its work.
      await expect.poll(() => receivers[0]?.received.length ?? 0, TAKEN_OVER).toBeGreaterThan(before + 10);
      await killed.stop('SIGKILL');
      await writing;
      [killed, other] = [other, await startSvcd(env)];
    }
    const feed: string[] = [];
    for (let after = position; ; ) {
      const page = await fetch(`${other.url}/v1/changes?after=${after}&limit=100`, {
        headers: bearer(token),
      });
      const { data, pagination } = (await page.json()) as {
        data: readonly { id: string }[];
        pagination: { position: string };
      };
      if (data.length === 0) break;
      feed.push(...data.map(({ id }) => id));
      after = pagination.position;
    }
    expect(feed.length).toBeGreaterThanOrEqual(KILLS * WRITES_PER_KILL);
    for (const { received, ordered } of receivers) {
      const ids = (): readonly string[] => [...new Set(received.map(({ id }) => id))];
      await expect.poll(() => ids().length, TAKEN_OVER).toBeGreaterThanOrEqual(feed.length);
      expect(ids().toSorted()).toEqual(feed);
      if (ordered) expect(ids()).toEqual(feed);
      for (const same of Map.groupBy(received, ({ id }) => id).values()) {
        expect(new Set(same.map(({ body }) => body)).size).toBe(1);
      }
    }
  },
  TIMEOUT_MS,
);
