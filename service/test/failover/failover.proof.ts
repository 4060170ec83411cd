import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { elapsed } from '../harness/postgres/proxy.ts';
import { checkHistory } from '../history/check/check.ts';
import { runClients, type ServiceDatabase } from '../history/clients.ts';
import { randomOf } from '../history/random.ts';
import type { NamedToken, Recorder } from '../history/recorder.ts';
import type { Scene } from '../history/scene.ts';
import { writeContent } from '../history/writers.ts';
import { CASES, type FailoverCase, type Times } from './cases.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { BACK_WITHIN_MS, type Figures, figuresOf, tableOf } from './figures.ts';
import { missingPackages } from './programs.ts';

/** How long the clients work before the damage, and at least after it. */
const STEADY_MS = Number(process.env['PROVE_SECONDS'] ?? 6) * 500;
const SEED = Number(process.env['PROVE_SEED'] ?? 1);
const START_TIMEOUT_MS = 120_000;
const CASE_TIMEOUT_MS = 240_000;
const PAUSE_MS = 25;

const missing = missingPackages();
if (missing.length > 0) {
  process.stdout.write(`failover is not proved here. To run it: apt-get install -y ${missing.join(' ')}\n`);
}

let cluster: Cluster;
const rows = new Map<string, Figures>();
const password = randomBytes(16).toString('hex');

/** An empty database, and its URLs. The service reaches it by all hosts, or by HAProxy. */
async function createDatabase(name: string, by: 'hosts' | 'haproxy'): Promise<ServiceDatabase> {
  await cluster.query(await cluster.healthy(), `create database ${name} owner svc`);
  const hosts = cluster.members.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const urlAt = (host: string): string => `postgres://svc:${password}@${host}/${name}`;
  return { url: urlAt(by === 'hosts' ? hosts : `127.0.0.1:${cluster.proxyPort}`), directUrl: urlAt(hosts) };
}

/** Reads at one node until the end of the scene. */
async function readAt(scene: Scene, recorder: Recorder, url: string, token: NamedToken): Promise<void> {
  while (scene.isOpen()) {
    await recorder.request(`${url}/v1/companies?limit=1`, token);
    await elapsed(PAUSE_MS);
  }
}

async function prove(by: 'hosts' | 'haproxy', tested: FailoverCase, index: number): Promise<void> {
  const primary = await cluster.healthy();
  await cluster.setSynchronous(tested.synchronous?.(cluster, primary) ?? cluster.any);
  const database = await createDatabase(`${by}_${index}`, by);
  const done = Promise.withResolvers<{ times: Times & { endMs: number }; keys: readonly NamedToken[] }>();
  let own: readonly Promise<void>[] = [];
  const { history } = await runClients(database, { seed: SEED }, async (play) => {
    const { nodes, scene, recorder, keyOfNode } = play;
    own = nodes.flatMap(({ url }, i) => {
      const token = keyOfNode[i === 0 ? 0 : 1];
      const atNode: Scene = { ...scene, nodeUrl: () => url };
      return [
        readAt(scene, recorder, url, token),
        writeContent(atNode, `node-${i}`, token, randomOf(SEED + i)),
      ];
    });
    const workers = (): Promise<readonly (readonly number[])[]> =>
      Promise.all(nodes.map((node) => node.workers()));
    const before = await workers();
    await elapsed(STEADY_MS);
    const times = await tested.act(cluster, primary);
    await elapsed(BACK_WITHIN_MS + STEADY_MS);
    // The service recovers by itself: no process of it has ended.
    expect(await workers()).toEqual(before);
    done.resolve({ times: { ...times, endMs: performance.now() }, keys: keyOfNode });
    return [tested.name];
  });
  await Promise.all(own);
  const { times, keys } = await done.promise;
  const figures = figuresOf(history, times, keys);
  rows.set(`${tested.name}, by ${by === 'hosts' ? 'several hosts' : 'HAProxy'}`, figures);
  await tested.heal?.(primary);

  // Nothing acknowledged is lost or doubled, and every request that was answered has its entry.
  expect(checkHistory(history)).toEqual([]);
  expect(figures.late).toEqual([]);
  expect(figures.otherErrors).toBe(0);
  expect(figures.backMs).toBeLessThan(BACK_WITHIN_MS);
  // A run without events proves nothing.
  expect(figures.acknowledgedWrites).toBeGreaterThan(50);
  expect(figures.webhooks).toBeGreaterThan(50);
  if (tested.harmless) expect(figures.refused503).toBe(0);
}

// It needs packages of Debian that a machine may not have. The line above names them.
describe.skipIf(missing.length > 0)(
  'what clients acknowledge and read survives, and the service is back soon, when',
  () => {
    beforeAll(async () => {
      cluster = await startCluster();
      const role = `create role svc login password '${password}'`;
      await cluster.query(await cluster.healthy(), role);
    }, START_TIMEOUT_MS);
    afterAll(() => {
      process.stdout.write(`\n${tableOf(rows)}\n`);
    });

    describe.each(['hosts', 'haproxy'] as const)('by %s', (by) => {
      test.each(CASES.map((tested, index) => ({ ...tested, index })))(
        '$name',
        ({ index, ...tested }) => prove(by, tested, index),
        CASE_TIMEOUT_MS,
      );
    });
  },
);
