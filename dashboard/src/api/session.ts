import type { CurrentSession, SessionOfList } from '@svc/service/dashboard/wire';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';

/** The session of this browser; null when there is none. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => call<CurrentSession | null>('/auth/get-session', { signal }),
});

/** Every browser that the person is signed in at. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => call<readonly SessionOfList[]>('/auth/list-sessions', { signal }),
});
