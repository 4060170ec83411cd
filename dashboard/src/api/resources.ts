import type { ResourceShape } from '@svc/service/dashboard/wire-data';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from './client.ts';

/** What the service declares of its records; it does not change while it runs. */
const resourcesQuery = queryOptions({
  queryKey: ['resources'],
  queryFn: ({ signal }) => call<{ readonly data: readonly ResourceShape[] }>('/resources', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export const useResource = (name: string) => {
  const { data, error, refetch } = useQuery(resourcesQuery);
  return { shape: data?.data.find((shape) => shape.name === name), error, refetch };
};
