import { PAGE_LIMIT_DEFAULT } from '@svc/sdk/contract';
import { useEffect, useState } from 'react';
import type { ContinuedList } from './continued-list.ts';

/** How many requests a search sends by itself. */
export const REQUESTS_MAX = 10;

export interface ContinuedSearch {
  readonly searching: boolean;
  /** Continues a search that has stopped. */
  readonly proceed: () => void;
}

/**
 * Continues a search that the service has stopped because it reads a bounded number of items per request. Stops when it has
 * found a page of items, after REQUESTS_MAX requests, and when a request fails.
 */
export function useContinuedSearch(list: ContinuedList): ContinuedSearch {
  const { items, more, searchedTo, loadingMore, moreError, loadMore } = list;
  const count = items?.length ?? 0;
  const [budget, setBudget] = useState({ requests: REQUESTS_MAX, items: PAGE_LIMIT_DEFAULT });
  const isSearch = more && searchedTo !== undefined && moreError === null;
  const searching = isSearch && budget.requests > 0 && count < budget.items;
  useEffect(() => {
    if (!searching || loadingMore || searchedTo === undefined) return;
    setBudget(({ requests, ...rest }) => ({ ...rest, requests: requests - 1 }));
    void loadMore();
  }, [searching, loadingMore, searchedTo, loadMore]);
  const proceed = (): void => {
    setBudget({ requests: REQUESTS_MAX, items: count + PAGE_LIMIT_DEFAULT });
    // The effect does not repeat a request that has failed.
    if (moreError !== null) void loadMore();
  };
  return { searching: searching || (isSearch && loadingMore), proceed };
}
