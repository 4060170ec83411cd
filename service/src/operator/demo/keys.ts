import type { ApiKey, KeyMode, Page } from '@svc/sdk';
import { OperatorError } from '../../operator-error.ts';

/** The demo's keys, made by the dashboard's own action over HTTP: nothing but the dashboard can make one. */

const NAMES: Readonly<Record<KeyMode, string>> = { live: 'Demo live key', test: 'Demo test key' };

export interface DemoKeys {
  readonly testKey: string;
  readonly liveKey: string;
}

export interface DashboardLink {
  /** Where the service listens. */
  readonly url: string;
  readonly publicUrl: string;
  readonly workspaceId: string;
  /** A one-time link that signs the owner in. */
  readonly signInLink: string;
}

/** Revokes the demo's keys of earlier runs, whose tokens nobody can be shown again, and makes new ones. */
export async function makeDemoKeys(link: DashboardLink): Promise<DemoKeys> {
  const send = await signIn(link);
  const keys = `/workspaces/${link.workspaceId}/keys`;
  const names = new Set(Object.values(NAMES));
  const { data } = await send<Page<ApiKey>>('GET', `${keys}?status=active&limit=100`);
  for (const { id, name } of data) if (names.has(name)) await send('POST', `${keys}/${id}/revoke`, {});
  const create = async (mode: KeyMode): Promise<string> => {
    const key = { name: NAMES[mode], mode, access: 'write', companyId: null };
    return (await send<{ readonly token: string }>('POST', keys, key)).token;
  };
  const made = { testKey: await create('test'), liveKey: await create('live') };
  await send('POST', '/auth/sign-out', {});
  return made;
}

type Send = <T>(method: 'GET' | 'POST', path: string, body?: unknown) => Promise<T>;

async function signIn({ url, publicUrl, signInLink }: DashboardLink): Promise<Send> {
  const headers: Record<string, string> = {
    origin: new URL(publicUrl).origin,
    'content-type': 'application/json',
  };
  const request = async (method: string, path: string, body?: unknown): Promise<Response> => {
    const answer = await fetch(`${url}/dashboard/api${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (answer.ok) return answer;
    throw new OperatorError(
      `the dashboard refused the demo's keys (${answer.status}): ${await answer.text()}`,
    );
  };
  const token = new URLSearchParams(new URL(signInLink).hash.slice(1)).get('token');
  const answer = await request('POST', '/sign-in-link', { token });
  headers['cookie'] = answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0] ?? '')
    .join('; ');
  return async <T>(method: 'GET' | 'POST', path: string, body?: unknown) =>
    (await (await request(method, path, body)).json()) as T;
}
