import { randomBytes, randomUUID } from 'node:crypto';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { pino } from 'pino';
import {
  type Bootstrapped,
  bootstrap,
  createDashboardAuth,
  createSignInLink,
  type DashboardAuth,
} from '../../src/dashboard/index.ts';
import { TEST_SECRET, type TestAnswer, type TestService } from './service.ts';

export const PUBLIC_URL = 'http://svc.test';
export const PASSWORD = 'correct horse battery staple';

type Role = 'owner' | 'admin' | 'viewer';

/** A browser with its cookie, in which a person is signed in, or nobody. */
export interface Visitor {
  readonly email: string;
  readonly userId: string;
  /** The session's cookie, as `name=value`. */
  readonly cookie: string;
  /** Sends a request to a path below /dashboard/api, as the dashboard's pages do. Default: without a body. */
  send(method: Method, path: string, body?: unknown, options?: InjectOptions): Promise<TestAnswer>;
}
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** People of a test service's dashboard. */
export interface TestDashboard {
  readonly auth: DashboardAuth;
  readonly nobody: Visitor;
  /** Creates an account with a workspace. For an existing email address: creates another workspace of that account. */
  bootstrap(email?: string): Promise<Bootstrapped & { readonly email: string }>;
  /** Signs in with a password. Default address: a new one, so that other attempts do not count. */
  enter(email: string, password: string, remoteAddress?: string): Promise<TestAnswer>;
  /** Signs in with a one-time link. */
  signIn(userId: string, email: string, app?: FastifyInstance): Promise<Visitor>;
  /** Creates a workspace and signs its owner in. */
  owner(): Promise<Visitor & { readonly workspaceId: string }>;
  /** A new account that belongs to the workspace. */
  member(workspaceId: string, role: Role): Promise<Visitor>;
}

export const newEmail = (): string => `${randomBytes(6).toString('hex')}@example.com`;

/** The whole first Set-Cookie of an answer. */
export const setCookieOf = ({ headers }: Pick<TestAnswer, 'headers'>): string =>
  String([headers['set-cookie']].flat()[0]);

/** The last `name=value` that the answer sets for the session; undefined when it sets none. */
export function sessionCookie({ headers }: Pick<TestAnswer, 'headers'>): string | undefined {
  return [headers['set-cookie'] ?? []]
    .flat()
    .map((cookie) => String(cookie).split(';')[0] ?? '')
    .findLast((cookie) => cookie.includes('session_token='));
}

export function createTestDashboard(service: Pick<TestService, 'app' | 'pool'>): TestDashboard {
  const { pool } = service;
  const auth = createDashboardAuth({
    pool,
    secrets: [TEST_SECRET],
    publicUrl: PUBLIC_URL,
    log: pino({ level: 'silent' }),
  });
  const visitor = (app: FastifyInstance, email: string, userId: string, cookie: string): Visitor => ({
    email,
    userId,
    cookie,
    send: async (method, path, body, options = {}) => {
      const answer = await app.inject({
        method,
        url: `/dashboard/api${path}`,
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
        ...options,
        headers: {
          ...(cookie === '' ? {} : { cookie }),
          ...(method === 'GET' ? {} : { origin: PUBLIC_URL, 'content-type': 'application/json' }),
          // Each form that is opened has one of its own.
          ...(method === 'POST' ? { 'idempotency-key': randomUUID() } : {}),
          'sec-fetch-site': 'same-origin',
          ...options.headers,
        },
      });
      const { statusCode: status, headers, body: text } = answer;
      return { status, headers, text, json: () => answer.json() };
    },
  });
  let addresses = 0;
  const nobody = visitor(service.app, '', '', '');
  const dashboard: TestDashboard = {
    auth,
    nobody,
    bootstrap: async (email = newEmail()) => ({
      email,
      ...(await bootstrap({ pool, auth, email, password: PASSWORD, workspaceName: 'Test' })),
    }),
    enter: (email, password, remoteAddress = `10.0.0.${++addresses}`) =>
      nobody.send('POST', '/auth/sign-in/email', { email, password }, { remoteAddress }),
    signIn: async (userId, email, app = service.app) => {
      const link = await createSignInLink({ pool, publicUrl: PUBLIC_URL, userId });
      const answer = await visitor(app, '', '', '').send('POST', '/sign-in-link', { token: tokenOf(link) });
      return visitor(app, email, userId, sessionCookie(answer) ?? 'no cookie was set');
    },
    owner: async () => {
      const { email, userId, workspaceId } = await dashboard.bootstrap();
      return { ...(await dashboard.signIn(userId, email)), workspaceId };
    },
    member: async (workspaceId, role) => {
      const { email, userId } = await dashboard.bootstrap();
      await pool.query(
        'insert into members (workspace_id, user_id, id, role, created_at) values ($1, $2, $3, $4, now())',
        [workspaceId, userId, randomBytes(8).toString('hex'), role],
      );
      return dashboard.signIn(userId, email);
    },
  };
  return dashboard;
}

/** The token of a link, from where the browser keeps it to itself. */
export const tokenOf = (link: string): string =>
  new URLSearchParams(new URL(link).hash.slice(1)).get('token') ?? '';
