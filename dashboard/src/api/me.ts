import type { Me } from '@svc/service/dashboard/wire';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { call } from './client.ts';

/** Who is signed in, and their workspaces. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => call<Me>('/me', { signal }),
  staleTime: 60_000,
});

/** Inside a route that has loaded it. */
export const useMe = (): Me => useSuspenseQuery(meQuery).data;
