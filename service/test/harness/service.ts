import type { TrustedProxies } from '@svc/ip-addresses/proxies';
import { type Shares, unshared } from '@svc/turns/lane';
import type { FastifyInstance, InjectOptions } from 'fastify';
import type pg from 'pg';
import { pino } from 'pino';
import { createApp } from '../../src/app.ts';
import type { ActorContext } from '../../src/audit-log/actor.ts';
import type { OidcSettings } from '../../src/config/oidc.ts';
import { lanesOver } from '../../src/database/lanes.ts';
import { inTransaction } from '../../src/database/pool.ts';
import { createKeyStore, type KeyStore, type NewKey } from '../../src/keys/store.ts';
import { createWorkspace } from '../../src/records/workspaces.ts';
import type { SignalChannel } from '../../src/signals/signals.ts';
import { assertDocumented } from '../openapi/response-check.ts';
import { onFileEnd } from './cleanup.ts';
import { createTestDatabase, type TestDatabase, testLanes } from './database.ts';

/** The actor of changes that a test makes without the dashboard's endpoints. */
export const TEST_ACTOR: ActorContext = {
  actor: 'owner@example.com',
  requestId: 'req_of_a_test',
  ip: '203.0.113.7',
  userAgent: 'test',
};

export const TEST_SECRET = 'a secret of the tests, 32 characters or more';

/** Creates, rotates and revokes keys on these connections. */
export const testKeys = (changes: Shares): KeyStore => createKeyStore(changes, [TEST_SECRET]);

/** An application in this process, with a separate database and a clock that the test sets. */
export interface TestService {
  readonly app: FastifyInstance;
  readonly database: TestDatabase;
  readonly pool: pg.Pool;
  /** Milliseconds. Starts with the system's time and changes only when the test sets it. */
  readonly clock: { now: number };
  /** All lines of the service's log so far. */
  readonly log: readonly string[];
  /** Creates, rotates and revokes keys, as the dashboard does. */
  readonly keys: KeyStore;
  workspace(): Promise<string>;
  /** Creates a key and returns its token. Default: live, read, all companies. */
  token(workspaceId: string, key?: Partial<NewKey>): Promise<string>;
  issue(
    workspaceId: string,
    key?: Partial<NewKey>,
  ): Promise<{ readonly keyId: string; readonly token: string }>;
  /** Sends a request with the token. `options` override it. Throws if the OpenAPI document does not allow the response. */
  request(token: string | null, url: string, options?: InjectOptions): Promise<TestAnswer>;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly text: string;
  /** The body as JSON. Throws if it is not JSON. */
  json<T = unknown>(): T;
}

export interface TestServiceOptions {
  /** The database of another test service, to run two nodes on one database. Default: a new database. */
  readonly database?: TestDatabase;
  /** The pool behind all lanes of the application. Default: a pool per lane, as in a process of the service. */
  readonly pool?: pg.Pool;
  /** Default: a stopped clock with the system's time. */
  readonly clock?: { now: number };
  /** The first secret issues, all are accepted. Default: TEST_SECRET. */
  readonly secrets?: readonly [string, ...string[]];
  /** Default: more than any test reaches. */
  readonly failedAuthPerMinute?: number;
  /** Default: false. */
  readonly trustProxy?: TrustedProxies;
  /** Default: none. */
  readonly corsOrigins?: readonly string[];
  /** Default: people sign in with passwords only. */
  readonly oidc?: OidcSettings;
  /** Default: a channel of this service only. */
  readonly signalChannel?: SignalChannel;
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
    config: {
      ...{ trustProxy, failedAuthPerMinute, corsOrigins: options.corsOrigins ?? [] },
      ...{ publicUrl: 'http://svc.test', webhookNetworks: '127.0.0.1', oidc: options.oidc },
    },
    log: pino({ level: 'debug' }, { write: (line: string) => void log.push(line) }),
    clock: () => clock.now,
    ...(options.signalChannel === undefined ? {} : { signalChannel: options.signalChannel }),
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
