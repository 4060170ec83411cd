import { randomBytes } from 'node:crypto';
import { newestPosition } from '../../src/changes/after.ts';
import { createPool } from '../../src/database/pool.ts';
import { onFileEnd } from '../harness/cleanup.ts';
import { bootstrapWorkspace, signIn } from '../harness/dashboard-http.ts';
import { importText, ndjson } from '../harness/import.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { copyByLongPolls, copyRecords } from './copy.ts';
import { recordFeed } from './events/feed.ts';
import { startReceivers } from './events/receivers.ts';
import { readStream } from './events/stream.ts';
import { finalState } from './final.ts';
import { type History, isSuccess } from './history.ts';
import { changeKeys } from './key-client.ts';
import { createNode, RECOVERY, type ServiceNode } from './node.ts';
import { randomOf } from './random.ts';
import { tailAudits, tailLog, useQuota, walkAudits } from './readers.ts';
import { createRecorder, type NamedToken, type Recorder } from './recorder.ts';
import { createScene, type Scene } from './scene.ts';
import { COMPANY, writeAudits, writeContent } from './writers.ts';

const NODES = ['a', 'b'] as const;
const WORKERS = '2';
const AUDIT_WRITERS = 6;
const CONTENT_WRITERS = 2;
const QUOTA = 400;
const QUOTA_CLIENTS = 3;
const POOL_SIZE = 2;

export interface ClientOptions {
  readonly seed: number;
  /** Whether there are receivers of webhooks. Default: true. */
  readonly webhooks?: boolean;
  /** Whether a receiver does not respond once. The service waits 15 seconds for it. Default: no. */
  readonly hangs?: boolean;
  /** Modules that the nodes load first, such as a planted fault. */
  readonly imports?: readonly string[];
  /** Settings for those modules. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The database of the nodes. */
export interface ServiceDatabase {
  /** The URL that the nodes use. */
  readonly url: string;
  /** The URL for the preparation and the check. */
  readonly directUrl: string;
}

/** What happens while the clients run. */
interface Play {
  readonly nodes: readonly [ServiceNode, ServiceNode];
  readonly scene: Scene;
  readonly recorder: Recorder;
  /**
   * Keys for clients that use one node each, in a workspace without other clients: their writes do not wait for the turn of
   * another writer.
   */
  readonly keyOfNode: readonly [NamedToken, NamedToken];
}

export interface Run {
  readonly history: History;
  readonly faults: readonly string[];
}

/**
 * Runs clients on two nodes until `play` has ended, which injects faults, heals them, and returns their names. Returns what
 * there is to check.
 */
export async function runClients(
  { url: databaseUrl, directUrl }: ServiceDatabase,
  { seed, webhooks = true, hangs = false, imports = [], env: extra = {} }: ClientOptions,
  play: (play: Play) => Promise<readonly string[]>,
): Promise<Run> {
  const secret = randomBytes(32).toString('base64url');
  const env = {
    SVC_DATABASE_URL: databaseUrl,
    SVC_SECRET: secret,
    SVC_WORKERS: WORKERS,
    SVC_LOG_LEVEL: 'warn',
    // The clients use ended keys on purpose, all from one address.
    SVC_FAILED_AUTH_PER_MINUTE: '1000000',
    SVC_WEBHOOK_NETWORKS: '127.0.0.0/8',
    ...extra,
  };
  const directory = await temporaryDirectory();
  const nodes = await Promise.all(NODES.map((name) => createNode(name, { env, directory, imports })));
  const [first, second] = nodes;
  if (first === undefined || second === undefined) throw new Error('two nodes are needed');
  await Promise.all(nodes.map((node) => node.start()));

  const pool = createPool({ url: directUrl, max: POOL_SIZE, name: 'history', onError: () => undefined });
  onFileEnd(() => pool.end());
  const main = await bootstrapWorkspace(env);
  const limited = await bootstrapWorkspace(env, 'limited@example.com');
  const quiet = await bootstrapWorkspace(env, 'quiet@example.com');
  const sessions = [await signIn(first), await signIn(second)] as const;
  const sessionOf = new Map([
    [main, sessions[0]],
    [limited, await signIn(first, 'limited@example.com')],
    [quiet, await signIn(first, 'quiet@example.com')],
  ]);
  const keyOf = async (
    name: string,
    workspaceId: string,
    key: { mode?: 'live' | 'test'; access?: 'read' | 'write' } = {},
  ): Promise<NamedToken> => {
    const { token } = await (sessionOf.get(workspaceId) ?? sessions[0]).createKey(workspaceId, key);
    return { name, token, live: key.mode !== 'test', workspaceId };
  };
  const live = await keyOf('live', main, { access: 'write' });
  const sandbox = await keyOf('sandbox', main, { mode: 'test', access: 'write' });
  const reader = await keyOf('reader', main);
  const metered = await keyOf('metered', limited);
  for (const workspaceId of [main, quiet])
    await importText(pool, workspaceId, 'companies', ndjson([{ id: COMPANY, name: 'Acme' }]));
  await pool.query('update live_meters set live_quota = $2 where workspace_id = $1', [limited, QUOTA]);

  const recorder = createRecorder();
  const scene = createScene(recorder, [first.url, second.url]);
  const randomFor = (client: number) => randomOf(seed + client);
  const after = await newestPosition(pool, main);
  const receivers = webhooks
    ? await startReceivers({ pool, secret, workspaceId: main, after, random: randomFor(300), hangs })
    : undefined;
  const writers = [
    ...Array.from({ length: AUDIT_WRITERS }, (_, i) =>
      writeAudits(scene, `audits-${i}`, { live, sandbox }, randomFor(i + 1)),
    ),
    ...Array.from({ length: CONTENT_WRITERS }, (_, i) =>
      writeContent(scene, `content-${i}`, live, randomFor(100 + i)),
    ),
    ...Array.from({ length: QUOTA_CLIENTS }, () => useQuota(scene, metered)),
    changeKeys(scene, 'key', { workspaceId: main, sessions, random: randomFor(200) }),
    walkAudits(scene, reader),
  ];
  const readers = [
    tailAudits(scene, reader),
    tailLog(scene, reader),
    copyRecords(scene, reader),
    copyByLongPolls(scene, reader, randomFor(400)),
    ...nodes.map(({ url }) => readStream(scene, reader, after, url)),
  ];

  const keyOfNode = [
    await keyOf('node-a', quiet, { access: 'write' }),
    await keyOf('node-b', quiet, { access: 'write' }),
  ] as const;
  const faults = await play({ nodes: [first, second], scene, recorder, keyOfNode });
  // What a client has begun it repeats until it is answered, so writers end only at nodes that work.
  scene.close();
  receivers?.recover();
  await Promise.all(nodes.map((node) => node.ready()));
  const givenUp = setTimeout(scene.end, RECOVERY.timeout);
  await Promise.all(writers);
  clearTimeout(givenUp);
  await recordFeed(scene, reader, { pool, after });
  scene.end();
  const tooLong = setTimeout(scene.abandon, RECOVERY.timeout);
  await Promise.all([...readers, receivers?.record(recorder)]);
  clearTimeout(tooLong);

  const exactCount = async (token: NamedToken): Promise<number> => {
    const { attempt, body } = await recorder.request(`${first.url}/v1/audits/count`, token);
    // A workspace whose quota is used up gets no data. It has no audits.
    return isSuccess(attempt.status) ? (body as { count: number }).count : 0;
  };
  const counts = [
    await exactCount(reader),
    await exactCount(metered),
    await exactCount(keyOfNode[0]),
  ] as const;
  await Promise.all(nodes.map((node) => node.stop()));
  const final = [
    await finalState(pool, main, counts[0]),
    await finalState(pool, limited, counts[1]),
    await finalState(pool, quiet, counts[2]),
  ];
  return { history: { ...recorder, final }, faults };
}
