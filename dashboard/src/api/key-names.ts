import type { ApiKey, ListEnvelope } from '@svc/sdk';
import { useQuery } from '@tanstack/react-query';
import { call, ofWorkspace } from './client.ts';

const PAGE_KEYS = 100;
/** Of a workspace with more keys the newest are known by name. */
const PAGES_MAX = 10;
const NAMES_FRESH_MS = 60_000;
const NONE: ReadonlyMap<string, ApiKey> = new Map();

/** The workspace's keys by id, revoked ones too, for a page that has their ids; empty until they are there. */
export function useKeyNames(workspaceId: string): ReadonlyMap<string, ApiKey> {
  const { data } = useQuery({
    // Below keysOf: a key that was made or revoked is known here as well.
    queryKey: ['workspace', workspaceId, 'keys', 'names'],
    queryFn: async ({ signal }) => {
      const keys = new Map<string, ApiKey>();
      let cursor: string | undefined;
      for (let page = 0; page < PAGES_MAX; page++) {
        const { data, pagination } = await call<ListEnvelope<ApiKey>>(ofWorkspace(workspaceId, '/keys'), {
          query: { limit: PAGE_KEYS, cursor },
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
  return data ?? NONE;
}
