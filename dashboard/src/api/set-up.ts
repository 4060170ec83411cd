import type { SetUpState } from '@svc/service/dashboard/wire';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';

/** Whether the service has an owner. */
export const setUpQuery = queryOptions({
  queryKey: ['set-up'],
  queryFn: ({ signal }) => call<SetUpState>('/set-up', { signal }),
});
