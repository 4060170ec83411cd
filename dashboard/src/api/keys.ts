import type { ApiKey, KeyAccess, KeyMode, ListEnvelope } from '@svc/sdk';
import type { CreatedKey, IssuedKey, RevokedKey } from '@svc/service/dashboard/wire';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { call, ofWorkspace } from './client.ts';

const PAGE_KEYS = 100;

export type KeyStatus = 'active' | 'revoked';

/** Below it: every list of the workspace's keys. */
export const keysOf = (workspaceId: string) => ['workspace', workspaceId, 'keys'] as const;

/** Newest first. */
export const keysQuery = (workspaceId: string, status: KeyStatus) =>
  infiniteQueryOptions({
    queryKey: [...keysOf(workspaceId), status],
    queryFn: ({ signal, pageParam }) =>
      call<ListEnvelope<ApiKey>>(ofWorkspace(workspaceId, '/keys'), {
        query: { status, limit: PAGE_KEYS, cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.nextCursor ?? undefined,
  });

export interface NewKey {
  readonly name: string;
  readonly mode: KeyMode;
  readonly access: KeyAccess;
  readonly companyId: string | null;
}

export const createKey = (workspaceId: string, key: NewKey, idempotencyKey: string): Promise<CreatedKey> =>
  call(ofWorkspace(workspaceId, '/keys'), { method: 'POST', body: key, idempotencyKey });

export const rotateKey = (workspaceId: string, keyId: string): Promise<IssuedKey> =>
  call(ofWorkspace(workspaceId, `/keys/${keyId}/rotate`), { method: 'POST' });

export const revokeKey = (workspaceId: string, keyId: string): Promise<RevokedKey> =>
  call(ofWorkspace(workspaceId, `/keys/${keyId}/revoke`), { method: 'POST' });

export { useKeyNames } from './key-names.ts';
