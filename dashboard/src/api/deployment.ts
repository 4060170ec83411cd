import type { Deployment } from '@svc/service/dashboard/wire';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';

/** What the operator has set for all workspaces. */
export const deploymentQuery = queryOptions({
  queryKey: ['deployment'],
  queryFn: ({ signal }) => call<Deployment>('/deployment', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});
