import { startProvider, type TestProvider } from '@svc/openid-sign-in/testing';
import { createApp } from '@svc/service/app';
import {
  bootstrap,
  createDashboardAuth,
  createSetUpLink,
  createSignInLink,
  type DashboardAuth,
} from '@svc/service/dashboard';
import type { Role } from '@svc/service/dashboard/permissions';
import { onFileEnd } from '@svc/service/harness/cleanup.ts';
import { createTestDatabase, testLanes } from '@svc/service/harness/database.ts';
import { freePort } from '@svc/service/server/listen';
import type pg from 'pg';
import { pino } from 'pino';
import type { BrowserContextOptions } from 'playwright-core';
import { launch } from './launch.ts';
import { openVisitor, type Visitor } from './visitor.ts';

export const PASSWORD = 'correct horse battery staple';
const SECRET = 'a secret of the tests, 32 characters or more';
const HOST = '127.0.0.1';

export interface Person {
  readonly userId: string;
  readonly email: string;
  /** The first workspace of the person, which they own. */
  readonly workspaceId: string;
}

/** A service with its own database and port, and a browser. */
export interface World {
  readonly url: string;
  /** The OpenID Connect provider, if the world has one. */
  readonly provider: TestProvider | undefined;
  readonly pool: pg.Pool;
  /** The log of the service. */
  readonly log: readonly string[];
  /** Creates an account that owns a new workspace. */
  person(name: string, workspaceName?: string): Promise<Person>;
  /** Makes a person a member of a workspace. */
  join(workspaceId: string, person: Person, role: Role): Promise<void>;
  setUpLink(): Promise<string>;
  signInLink(person: Person): Promise<string>;
  /** Opens a new browser context without a session. */
  visitor(options?: BrowserContextOptions): Promise<Visitor>;
  /** Opens a new browser context, signed in as the person, on the overview of their workspace. */
  signedIn(person: Person, options?: BrowserContextOptions): Promise<Visitor>;
  /** Stops the service. Its port then refuses connections. */
  stop(): Promise<void>;
  /** Starts the service again at the same address. `newcomers`: the workspace for them. Default: they need an invitation. */
  start(newcomers?: string): Promise<void>;
}

export { BROWSER_PATH } from './launch.ts';

export interface WorldOptions {
  /** Whether the service has an OpenID Connect provider, named Example ID, for addresses of example.com. Default: false. */
  readonly openId?: boolean;
}

export async function createWorld({ openId = false }: WorldOptions = {}): Promise<World> {
  const database = await createTestDatabase();
  const { pool } = database;
  const lanes = testLanes(database);
  const port = await freePort(HOST);
  const url = `http://${HOST}:${port}`;
  const log: string[] = [];
  const secrets = [SECRET];
  const provider = openId ? await startProvider({ redirectUris: [`${url}/sign-in`] }) : undefined;
  const run = async (newcomers?: string) => {
    const oidc = provider && {
      ...{ issuer: provider.issuer, clientId: provider.clientId, clientSecret: provider.clientSecret },
      ...{ name: 'Example ID', allowedDomains: ['example.com'] },
      newcomers: newcomers === undefined ? undefined : ({ workspaceId: newcomers, role: 'viewer' } as const),
    };
    const started = createApp({
      lanes,
      secrets,
      config: { trustProxy: false, failedAuthPerMinute: 100_000, publicUrl: url, oidc },
      log: pino({ level: openId ? 'debug' : 'warn' }, { write: (line: string) => void log.push(line) }),
    });
    await started.listen({ host: HOST, port });
    return started;
  };
  let app = await run();
  const browser = await launch();
  onFileEnd(async () => {
    await browser.close();
    await app.close();
    await provider?.close();
  });
  const auth = createDashboardAuth({ pool, secrets, publicUrl: url, log: pino({ level: 'silent' }) });
  const world: World = {
    url,
    provider,
    pool,
    log,
    person: (name, workspaceName = 'Northwind') => newPerson(pool, auth, name, workspaceName),
    join: async (workspaceId, { userId }, role) => {
      await pool.query(
        `insert into members (workspace_id, user_id, id, role, created_at)
         values ($1, $2, gen_random_uuid()::text, $3, now())`,
        [workspaceId, userId, role],
      );
    },
    setUpLink: async () => (await createSetUpLink({ pool, publicUrl: url })) ?? '',
    signInLink: ({ userId }) => createSignInLink({ pool, publicUrl: url, userId }),
    stop: () => app.close(),
    start: async (newcomers) => {
      app = await run(newcomers);
    },
    visitor: (options) => openVisitor(browser, url, options),
    signedIn: async (person, options) => {
      const visitor = await world.visitor(options);
      await visitor.page.goto(await world.signInLink(person));
      await visitor.page.waitForURL(/\/w\//);
      return visitor;
    },
  };
  return world;
}

async function newPerson(
  pool: pg.Pool,
  auth: DashboardAuth,
  name: string,
  workspaceName: string,
): Promise<Person> {
  const email = `${name.toLowerCase()}@example.com`;
  const { userId, workspaceId } = await bootstrap({ pool, auth, email, password: PASSWORD, workspaceName });
  await pool.query('update users set name = $2 where id = $1', [userId, name]);
  return { userId, email, workspaceId };
}
