import type { FastifyInstance, InjectOptions } from 'fastify';
import type pg from 'pg';
import { pino } from 'pino';
import { createApp } from '../../src/app.ts';
import type { ActorContext } from '../../src/audit-log/actor.ts';
import type { TrustedProxies } from '../../src/config/config.ts';
import { unshared } from '../../src/database/lane.ts';
import { lanesOver } from '../../src/database/lanes.ts';
import { inTransaction } from '../../src/database/pool.ts';
import { createKeyStore, type KeyStore, type NewKey } from '../../src/keys/store.ts';
import { createWorkspace } from '../../src/records/workspaces.ts';
import { assertDocumented } from '../openapi/response-check.ts';
import { onFileEnd } from './cleanup.ts';
import { createTestDatabase, type TestDatabase, testLanes } from './database.ts';

/** Who acts where a test does what the dashboard's endpoints do. */
export const TEST_ACTOR: ActorContext = {
  actor: 'owner@example.com',
  requestId: 'req_of_a_test',
  ip: '203.0.113.7',
  userAgent: 'test',
};

export const TEST_SECRET = 'a secret of the tests, 32 characters or more';

/** An application over a database of its own, in process, with a clock that the test moves. */
export interface TestService {
  readonly app: FastifyInstance;
  readonly database: TestDatabase;
  readonly pool: pg.Pool;
  /** Milliseconds. Starts with the system's time and changes only when the test sets it. */
  readonly clock: { now: number };
  /** Every line that the service has logged. */
  readonly log: readonly string[];
  /** What the dashboard does with keys. */
  readonly keys: KeyStore;
  workspace(): Promise<string>;
  /** A new key's token. Default: live, read, all companies. */
  token(workspaceId: string, key?: Partial<NewKey>): Promise<string>;
  issue(
    workspaceId: string,
    key?: Partial<NewKey>,
  ): Promise<{ readonly keyId: string; readonly token: string }>;
  /** A request with the token; options override. Throws when the OpenAPI document has no such answer. */
  request(token: string | null, url: string, options?: InjectOptions): Promise<TestAnswer>;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly text: string;
  /** The body as JSON; throws when it is none. */
  json<T = unknown>(): T;
}

export interface TestServiceOptions {
  /** Another node's, so that both are nodes on one database. Default: a new one. */
  readonly database?: TestDatabase;
  /** What the application asks, in all of its lanes. Default: lanes of its own, like a process. */
  readonly pool?: pg.Pool;
  /** Default: a stopped clock with the system's time. */
  readonly clock?: { now: number };
  /** The first one issues, all are accepted. */
  readonly secrets?: readonly [string, ...string[]];
  /** Default: more than any test makes. */
  readonly failedAuthPerMinute?: number;
  /** Default: false. */
  readonly trustProxy?: TrustedProxies;
}

export async function createTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const { database = await createTestDatabase(), secrets = [TEST_SECRET] } = options;
  const { clock = { now: Date.now() }, failedAuthPerMinute = 100_000, trustProxy = false } = options;
  const { pool = database.pool } = options;
  const lanes = options.pool === undefined ? testLanes(database) : lanesOver(options.pool);
  const log: string[] = [];
  const app = createApp({
    lanes,
    secrets,
    config: { trustProxy, failedAuthPerMinute, publicUrl: 'http://svc.test' },
    log: pino({ level: 'debug' }, { write: (line: string) => void log.push(line) }),
    clock: () => clock.now,
  });
  await app.ready();
  onFileEnd(async () => {
    await app.close();
  });
  const keys = createKeyStore(unshared(database.pool), secrets);

  const issue: TestService['issue'] = async (workspaceId, key = {}) => {
    const issued = await keys.create(
      workspaceId,
      { name: 'test', mode: 'live', access: 'read', companyId: null, ...key },
      TEST_ACTOR,
    );
    if (issued === 'no_company') throw new Error('the company of the key does not exist');
    return { keyId: issued.key.id, token: issued.token };
  };
  return {
    app,
    database,
    pool,
    clock,
    log,
    keys,
    issue,
    workspace: () => inTransaction(database.pool, (client) => createWorkspace(client, 'test')),
    token: async (workspaceId, key) => (await issue(workspaceId, key)).token,
    request: async (token, url, options = {}) => {
      const answer = await app.inject({
        method: 'GET',
        url,
        ...options,
        headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...options.headers },
      });
      const { statusCode: status, headers, body: text } = answer;
      assertDocumented(options.method ?? 'GET', url, { status, headers, text });
      return { status, headers, text, json: () => answer.json() };
    },
  };
}
