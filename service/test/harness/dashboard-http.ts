import { randomUUID } from 'node:crypto';
import { runSvcd, type ServiceProcess } from './process.ts';
import { secret } from './secrets.ts';

/** A session at the dashboard of a running service, over HTTP. */
export interface DashboardSession {
  /** The headers `origin` and `cookie`, for requests whose body is not JSON. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sends a request to a path below /dashboard/api. Throws if it is refused. */
  post<T>(path: string, body?: unknown): Promise<T>;
  createKey(workspaceId: string, key?: Partial<NewKey>): Promise<IssuedKey>;
}

interface NewKey {
  readonly name: string;
  readonly mode: 'live' | 'test';
  readonly access: 'read' | 'write';
  readonly companyId: string | null;
}

export interface IssuedKey {
  readonly token: string;
  readonly key: { readonly id: string };
}

export const PASSWORD = secret('correct horse battery staple');

/** Creates a workspace and its owner with `svcd bootstrap`, by default of this release. Returns the workspace's id. */
export async function bootstrapWorkspace(
  env: Readonly<Record<string, string>>,
  email = 'owner@example.com',
  program?: string,
): Promise<string> {
  const args = ['bootstrap', '--email', email, '--workspace', 'Test', '--json'];
  const { code, stdout, stderr } = await runSvcd(args, {
    env,
    input: PASSWORD,
    ...(program === undefined ? {} : { program }),
  });
  if (code !== 0) throw new Error(stderr);
  return (JSON.parse(stdout) as { workspaceId: string }).workspaceId;
}

/** Signs in with the email address and PASSWORD. */
export async function signIn(
  { url }: Pick<ServiceProcess, 'url'>,
  email = 'owner@example.com',
): Promise<DashboardSession> {
  const headers: Record<string, string> = { 'content-type': 'application/json', origin: url };
  const post = async (path: string, body: unknown = {}): Promise<Response> => {
    const answer = await fetch(`${url}/dashboard/api${path}`, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': randomUUID() },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const answer = await post('/auth/sign-in/email', { email, password: PASSWORD });
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0] ?? '');
  for (const cookie of cookies) secret(cookie.slice(cookie.indexOf('=') + 1));
  headers['cookie'] = cookies.join('; ');
  const session: DashboardSession = {
    headers: { origin: url, cookie: headers['cookie'] },
    post: async <T>(path: string, body?: unknown) => (await (await post(path, body)).json()) as T,
    createKey: async (workspaceId, key = {}) => {
      const issued = await session.post<IssuedKey>(`/workspaces/${workspaceId}/keys`, {
        name: 'test',
        mode: 'live',
        access: 'read',
        companyId: null,
        ...key,
      });
      secret(issued.token);
      return issued;
    },
  };
  return session;
}
