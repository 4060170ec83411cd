import type { CurrentSession, SessionOfList } from '@svc/service/dashboard/wire';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';

/** The session of this browser; null without one. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => call<CurrentSession | null>('/auth/get-session', { signal }),
});

/** The sessions of the person in all browsers. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => call<readonly SessionOfList[]>('/auth/list-sessions', { signal }),
});
