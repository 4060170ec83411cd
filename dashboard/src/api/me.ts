import type { Me } from '@svc/service/dashboard/wire';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { call } from './client.ts';

/** The signed-in person and their workspaces. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => call<Me>('/me', { signal }),
  staleTime: 60_000,
});

/** Only for components below signedInRoute, which loads the data. */
export const useMe = (): Me => useSuspenseQuery(meQuery).data;
