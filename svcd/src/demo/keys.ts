import { randomUUID } from 'node:crypto';
import type { ApiKey, KeyMode, Page } from '@svc/sdk';
import { OperatorError } from '@svc/service/config/errors';
import { type Answer, ask } from '../running/ask.ts';
import { CLIENTS, type ClientName } from './traffic.ts';

/** The demo's keys. Only the dashboard can create keys, so the demo creates them through the dashboard's endpoints. */

const NAMES: Readonly<Record<KeyMode, string>> = { live: 'Demo live key', test: 'Demo test key' };

/** The most keys of each mode that stay valid after restarts: those used or created last. */
export const DEMO_KEYS_KEPT = 10;

export interface DemoKeys {
  readonly testKey: string;
  readonly liveKey: string;
}

/** The ids of the keys of the made-up requests. */
export type ClientKeys = ReadonlyMap<ClientName, string>;

export interface DashboardLink {
  /** Where the service listens. */
  readonly url: string;
  readonly publicUrl: string;
  readonly workspaceId: string;
  /** A one-time link that signs the owner in. */
  readonly signInLink: string;
}

/**
 * Creates new keys, because the tokens of earlier keys are not stored and cannot be shown again. Keys of earlier runs may
 * be in use, so the last {@link DEMO_KEYS_KEPT} of each mode stay valid. `withClients`: creates the keys of the made-up
 * requests, too. Nobody gets their tokens.
 */
export async function createDemoKeys(
  link: DashboardLink,
  withClients: boolean,
): Promise<DemoKeys & { readonly clients: ClientKeys }> {
  const send = await signIn(link);
  const keys = `/workspaces/${link.workspaceId}/keys`;
  const create = async (mode: KeyMode): Promise<string> => {
    const key = { name: NAMES[mode], mode, access: 'write', companyId: null };
    return (await send<CreatedKey>('POST', keys, key)).token;
  };
  const readActive = () =>
    readAll((cursor) =>
      send<Page<ApiKey>>('GET', `${keys}?status=active&limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`),
    );
  // A start that was killed before it made the requests has left keys for them.
  const earlier = withClients ? await readActive() : [];
  const clients = new Map<ClientName, string>();
  for (const { name, mode, access } of withClients ? CLIENTS : []) {
    const known = earlier.find((key) => key.name === name);
    const { key } = known
      ? { key: known }
      : await send<CreatedKey>('POST', keys, { name, mode, access, companyId: null });
    clients.set(name, key.id);
  }
  const created = { testKey: await create('test'), liveKey: await create('live'), clients };
  const active = await readActive();
  for (const id of surplusKeys(active)) await send('POST', `${keys}/${id}/revoke`, {});
  await send('POST', '/auth/sign-out', {});
  return created;
}

interface CreatedKey {
  readonly key: ApiKey;
  readonly token: string;
}

async function readAll(page: (cursor: string) => Promise<Page<ApiKey>>): Promise<readonly ApiKey[]> {
  const all: ApiKey[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { data, pagination }: Page<ApiKey> = await page(cursor);
    all.push(...data);
    cursor = pagination.nextCursor;
  }
  return all;
}

/** The ids of surplus demo keys: of each mode, those used or created longest ago. */
function surplusKeys(active: readonly ApiKey[]): readonly string[] {
  // The last use is stored to the minute, so it can be earlier than the creation.
  const lastSeen = ({ createdAt, lastUsedAt }: ApiKey): number =>
    Math.max(Date.parse(createdAt), Date.parse(lastUsedAt ?? createdAt));
  return Object.values(NAMES).flatMap((name) =>
    active
      .filter((key) => key.name === name)
      .sort((a, b) => lastSeen(b) - lastSeen(a))
      .slice(DEMO_KEYS_KEPT)
      .map(({ id }) => id),
  );
}

type Send = <T>(method: 'GET' | 'POST', path: string, body?: unknown) => Promise<T>;

async function signIn({ url, publicUrl, signInLink }: DashboardLink): Promise<Send> {
  const headers: Record<string, string> = {
    origin: new URL(publicUrl).origin,
    'content-type': 'application/json',
  };
  const request = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await ask(`${url}/dashboard/api${path}`, {
      method,
      headers: method === 'POST' ? { ...headers, 'idempotency-key': randomUUID() } : headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (answer.ok) return answer;
    throw new OperatorError(`the dashboard refused the demo's keys (${answer.status}): ${answer.text}`);
  };
  const token = new URLSearchParams(new URL(signInLink).hash.slice(1)).get('token');
  const answer = await request('POST', '/sign-in-link', { token });
  headers['cookie'] = answer.cookies.map((cookie) => cookie.split(';', 1)[0] ?? '').join('; ');
  return async <T>(method: 'GET' | 'POST', path: string, body?: unknown) =>
    JSON.parse((await request(method, path, body)).text) as T;
}
