import type { Me } from '@svc/service/dashboard/wire';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { setPagePerson } from '../session/page-person.ts';
import { call } from './client.ts';

/** The signed-in person and their workspaces. From the first response on, the page is that of this person. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }): Promise<Me> => {
    const me = await call<Me>('/me', { signal });
    setPagePerson(me.user.id);
    return me;
  },
  staleTime: 60_000,
});

/** Only for components below signedInRoute, which loads the data. */
export const useMe = (): Me => useSuspenseQuery(meQuery).data;
