import { randomBytes, randomUUID } from 'node:crypto';
import type { Installation } from './installation.ts';
import { type RunningService, runSvcd } from './svcd.ts';

/** A workspace with a live key that may write. */
export interface Access {
  readonly workspaceId: string;
  readonly token: string;
}

/** One person may own this many workspaces. */
const WORKSPACES_PER_OWNER = 100;
const PASSWORD = randomBytes(16).toString('hex');

/** Creates workspaces and their keys in the dashboard, as people do. */
export async function createWorkspaces(
  installation: Installation,
  service: RunningService,
  count: number,
): Promise<readonly Access[]> {
  const created: Access[] = [];
  for (let owner = await createOwner(installation, service); created.length < count; ) {
    created.push(await owner.createKey(owner.workspaceId));
    const more = Math.min(WORKSPACES_PER_OWNER - 1, count - created.length);
    for (let n = 0; n < more; n++) created.push(await owner.createKey(await owner.createWorkspace()));
    if (created.length < count) owner = await createOwner(installation, service);
  }
  return created;
}

/** Creates a person with a workspace, and signs in. */
export async function createOwner(installation: Installation, { origin }: RunningService) {
  const email = `${randomUUID()}@example.com`;
  const args = ['bootstrap', '--email', email, '--workspace', 'Bench', '--json'];
  const { stdout } = await runSvcd(installation, args, [PASSWORD]);
  const { workspaceId } = JSON.parse(stdout) as { readonly workspaceId: string };
  const headers: Record<string, string> = { 'content-type': 'application/json', origin };
  const send = async (method: string, path: string, body?: unknown): Promise<Response> => {
    const response = await fetch(`${origin}/dashboard/api${path}`, {
      method,
      headers: { ...headers, 'idempotency-key': randomUUID() },
      body: JSON.stringify(body ?? {}),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const post = (path: string, body: unknown): Promise<Response> => send('POST', path, body);
  const signedIn = await post('/auth/sign-in/email', { email, password: PASSWORD });
  headers['cookie'] = signedIn.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ');
  const key = { name: 'bench', mode: 'live', access: 'write', companyId: null };
  return {
    workspaceId,
    headers: { origin, cookie: headers['cookie'] },
    createWorkspace: async (): Promise<string> => {
      const response = await post('/workspaces', { name: 'Bench' });
      return ((await response.json()) as { readonly id: string }).id;
    },
    /** Creates an unordered endpoint of webhooks that gets everything. Resolves with a function that deletes it. */
    createEndpoint: async (id: string, url: string): Promise<() => Promise<void>> => {
      const settings = { url, description: 'bench', types: null, companyId: null, ordered: false };
      const path = `/workspaces/${id}/webhooks`;
      const { endpoint } = (await (await post(path, settings)).json()) as {
        readonly endpoint: { readonly id: string };
      };
      return async () => void (await send('DELETE', `${path}/${endpoint.id}`));
    },
    createKey: async (id: string): Promise<Access> => {
      const response = await post(`/workspaces/${id}/keys`, key);
      return { workspaceId: id, token: ((await response.json()) as { readonly token: string }).token };
    },
  };
}
