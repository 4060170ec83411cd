import { randomUUID } from 'node:crypto';
import { runSvcd, type ServiceProcess } from './process.ts';
import { secret } from './secrets.ts';

/** A session at the dashboard of a running service, over HTTP. It keeps the cookies that it gets. */
export interface DashboardSession {
  /** The headers `origin` and `cookie`, for requests whose body is not JSON. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sends a request to a path below /dashboard/api. Throws if it is refused. */
  post<T>(path: string, body?: unknown): Promise<T>;
  /** Reads a path below /dashboard/api. Throws if it is refused. */
  get<T>(path: string): Promise<T>;
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
  const jar = new Map<string, string>();
  const send = async (path: string, request: RequestInit): Promise<Response> => {
    const answer = await fetch(`${url}/dashboard/api${path}`, request);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    for (const text of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (text.split(';', 1)[0] ?? '').split(/=(.*)/s);
      if (value !== '') secret(value);
      jar.set(name, `${name}=${value}`);
    }
    headers['cookie'] = [...jar.values()].join('; ');
    return answer;
  };
  const post = (path: string, body: unknown = {}): Promise<Response> =>
    send(path, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': randomUUID() },
      body: JSON.stringify(body),
    });
  await post('/auth/sign-in/email', { email, password: PASSWORD });
  const session: DashboardSession = {
    headers: { origin: url, cookie: headers['cookie'] ?? '' },
    get: async <T>(path: string) => (await (await send(path, { headers })).json()) as T,
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
