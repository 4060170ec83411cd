import { randomBytes } from 'node:crypto';
import { onFileEnd } from '@svc/service/harness/cleanup.ts';
import { bootstrapWorkspace, type DashboardSession, signIn } from '@svc/service/harness/dashboard-http.ts';
import { createTestDatabase } from '@svc/service/harness/database.ts';
import { startSvcd } from '@svc/service/harness/process.ts';
import { secret } from '@svc/service/harness/secrets.ts';
import type pg from 'pg';
import type { BrowserContextOptions } from 'playwright-core';
import { launch } from '../harness/launch.ts';
import { openVisitor, type Visitor } from '../harness/visitor.ts';

const [OWNER, VIEWER] = ['owner@example.com', 'viewer@example.com'];

/** A running service that sends webhooks to this machine, and a browser. */
export interface WebhookWorld {
  readonly url: string;
  readonly workspaceId: string;
  /** The owner of the workspace. */
  readonly owner: DashboardSession;
  /** A member of the workspace with the role viewer. */
  readonly viewer: DashboardSession;
  /** Opens a new browser context, signed in as the person. */
  open(session: DashboardSession, options?: BrowserContextOptions): Promise<Visitor>;
  readonly pool: pg.Pool;
  /** Creates a company, which is an event. Returns its id. */
  createCompany(name: string): Promise<string>;
  /** Sends a request to a path of the workspace below /dashboard/api, as the owner. Returns the response. */
  send(method: 'GET' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<Response>;
}

export async function createWebhookWorld(): Promise<WebhookWorld> {
  const { url: databaseUrl, pool } = await createTestDatabase({ template: false });
  const env = {
    SVC_DATABASE_URL: databaseUrl,
    SVC_SECRET: secret(randomBytes(32).toString('base64url')),
    SVC_WEBHOOK_NETWORKS: '127.0.0.0/8',
  };
  const service = await startSvcd(env);
  const { url } = service;
  const workspaceId = await bootstrapWorkspace(env, OWNER);
  await bootstrapWorkspace(env, VIEWER);
  await pool.query(
    `insert into members (workspace_id, user_id, id, role, created_at)
     select $1, id, gen_random_uuid()::text, 'viewer', now() from users where email = $2`,
    [workspaceId, VIEWER],
  );
  const owner = await signIn(service, OWNER);
  const { token } = await owner.createKey(workspaceId, { access: 'write' });
  const browser = await launch();
  onFileEnd(() => browser.close());
  return {
    url,
    workspaceId,
    pool,
    owner,
    viewer: await signIn(service, VIEWER),
    open: async ({ headers }, options) => {
      const visitor = await openVisitor(browser, url, options);
      await visitor.context.addCookies(
        (headers['cookie'] ?? '').split('; ').map((cookie) => {
          const split = cookie.indexOf('=');
          return { name: cookie.slice(0, split), value: cookie.slice(split + 1), url };
        }),
      );
      return visitor;
    },
    createCompany: async (name) => {
      const response = await fetch(`${url}/v1/companies`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name }),
      });
      if (!response.ok) throw new Error(await response.text());
      return ((await response.json()) as { id: string }).id;
    },
    send: (method, path, body) =>
      fetch(`${url}/dashboard/api/workspaces/${workspaceId}${path}`, {
        method,
        headers: { ...owner.headers, 'content-type': 'application/json' },
        ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
      }),
  };
}
