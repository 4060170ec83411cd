import type { AnyAuditLogEntry, ApiKey, KeyAccess, KeyMode, ListEnvelope } from '@svc/sdk';
import { type CONTRACT, PAGE_LIMIT_MAX } from '@svc/sdk/contract';
import type {
  ChangedKey,
  CreatedKey,
  IssuedKey,
  KeyDetails,
  KeyNotices,
  KeyUsage,
  ListedKey,
} from '@svc/service/dashboard/wire';
import { infiniteQueryOptions, keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { type CallOptions, call, ofWorkspace } from './client.ts';

export type KeyStatus = (typeof CONTRACT.apiKeys.filters.status.values)[number];

/** Prefix of the query keys of all lists of keys. */
export const keysOf = (workspaceId: string) => ['workspace', workspaceId, 'keys'] as const;

/** Newest first. */
export const keysQuery = (workspaceId: string, status: KeyStatus) =>
  infiniteQueryOptions({
    queryKey: [...keysOf(workspaceId), status],
    queryFn: ({ signal, pageParam }) =>
      call<ListEnvelope<ListedKey>>(ofWorkspace(workspaceId, '/keys'), {
        query: { status, limit: PAGE_LIMIT_MAX, cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.nextCursor ?? undefined,
  });

/** What limits one key. */
export interface KeyLimits {
  readonly expiresAt: string | null;
  readonly allowedNetworks: readonly string[] | null;
  readonly burstLimit: number | null;
}

/** A key with what only the dashboard shows. */
export const keyQuery = (workspaceId: string, keyId: string) =>
  queryOptions({
    queryKey: [...keysOf(workspaceId), 'one', keyId],
    queryFn: ({ signal }) =>
      call<KeyDetails>(ofWorkspace(workspaceId, `/keys/${encodeURIComponent(keyId)}`), { signal }),
    staleTime: 0,
    gcTime: 0,
  });

/** Usage with the number of its days, which can be those of the range before while the data of another one load. */
export interface UsageOfDays extends KeyUsage {
  readonly days: number;
}

/** The requests of a key per day (UTC) in the last `days` days, including today. */
export const keyUsageQuery = (workspaceId: string, keyId: string, days: number) =>
  queryOptions({
    queryKey: [...keysOf(workspaceId), 'usage', keyId, days],
    queryFn: async ({ signal }): Promise<UsageOfDays> => {
      const path = ofWorkspace(workspaceId, `/keys/${encodeURIComponent(keyId)}/usage`);
      return { days, ...(await call<KeyUsage>(path, { query: { days }, signal })) };
    },
    placeholderData: keepPreviousData,
  });

/** The most requests of a search for entries. */
const SEARCHES_MAX = 10;

/**
 * Entries of the audit log about a key or of its requests, newest first. The service searches a limited number of entries
 * per request. With `since`, an incomplete search continues until it has reached this time. Default: one request.
 */
export const keyEntriesQuery = (
  workspaceId: string,
  query: NonNullable<CallOptions['query']> & { readonly limit: number },
  since?: string,
) =>
  queryOptions({
    queryKey: [...keysOf(workspaceId), 'entries', query, since],
    queryFn: async ({ signal }): Promise<readonly AnyAuditLogEntry[]> => {
      const entries: AnyAuditLogEntry[] = [];
      let cursor: string | undefined;
      for (let request = 0; request < SEARCHES_MAX; request++) {
        const { data, pagination } = await call<ListEnvelope<AnyAuditLogEntry>>(
          ofWorkspace(workspaceId, '/log'),
          { query: { ...query, cursor }, signal },
        );
        entries.push(...data);
        const { nextCursor, searchedTo } = pagination;
        if (nextCursor === null || searchedTo === undefined || since === undefined) break;
        if (Date.parse(searchedTo) < Date.parse(since)) break;
        cursor = nextCursor;
      }
      return entries.slice(0, query.limit);
    },
  });

const NOTICES_FRESH_MS = 60_000;

/** Keys that expire soon, or have expired while they were in use. */
export const keyNoticesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: [...keysOf(workspaceId), 'notices'],
    queryFn: ({ signal }) => call<KeyNotices>(ofWorkspace(workspaceId, '/key-notices'), { signal }),
    staleTime: NOTICES_FRESH_MS,
  });

export interface NewKey extends KeyLimits {
  readonly name: string;
  readonly mode: KeyMode;
  readonly access: KeyAccess;
  readonly companyId: string | null;
  /** Id of the key that it replaces. */
  readonly replaces: string | null;
}

export const createKey = (workspaceId: string, key: NewKey, idempotencyKey: string): Promise<CreatedKey> =>
  call(ofWorkspace(workspaceId, '/keys'), { method: 'POST', body: key, idempotencyKey });

export const changeKey = (
  workspaceId: string,
  keyId: string,
  changes: Partial<KeyLimits & Pick<NewKey, 'name'>>,
): Promise<ChangedKey> =>
  call(ofWorkspace(workspaceId, `/keys/${keyId}`), { method: 'PATCH', body: changes });

export const pauseKey = (workspaceId: string, keyId: string): Promise<ChangedKey> =>
  call(ofWorkspace(workspaceId, `/keys/${keyId}/pause`), { method: 'POST' });

export const resumeKey = (workspaceId: string, keyId: string): Promise<ChangedKey> =>
  call(ofWorkspace(workspaceId, `/keys/${keyId}/resume`), { method: 'POST' });

export const rotateKey = (workspaceId: string, keyId: string): Promise<IssuedKey> =>
  call(ofWorkspace(workspaceId, `/keys/${keyId}/rotate`), { method: 'POST' });

export const revokeKey = (workspaceId: string, keyId: string): Promise<ChangedKey> =>
  call(ofWorkspace(workspaceId, `/keys/${keyId}/revoke`), { method: 'POST' });

/** With more pages of keys, only the newest keys are shown with their names. */
const PAGES_MAX = 10;
const NAMES_FRESH_MS = 60_000;
const NONE: ReadonlyMap<string, ApiKey> = new Map();

/** The keys of the workspace by id, including revoked ones. */
export const keyNamesQuery = (workspaceId: string) =>
  queryOptions({
    // Below keysOf, so that it is refreshed when a key is created or revoked.
    queryKey: [...keysOf(workspaceId), 'names'],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, ApiKey>> => {
      const keys = new Map<string, ApiKey>();
      let cursor: string | undefined;
      for (let page = 0; page < PAGES_MAX; page++) {
        const { data, pagination } = await call<ListEnvelope<ApiKey>>(ofWorkspace(workspaceId, '/keys'), {
          query: { limit: PAGE_LIMIT_MAX, cursor },
          signal,
        });
        for (const key of data) keys.set(key.id, key);
        if (pagination.nextCursor === null) break;
        cursor = pagination.nextCursor;
      }
      return keys;
    },
    staleTime: NAMES_FRESH_MS,
  });

/** The keys of the workspace by id; empty until they are loaded. */
export const useKeys = (workspaceId: string): ReadonlyMap<string, ApiKey> =>
  useQuery(keyNamesQuery(workspaceId)).data ?? NONE;
