import type { SignInMethods, SignInProvider } from '@svc/service/dashboard/wire';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';

/** The OpenID Connect provider of the service. */
export const providerQuery = queryOptions({
  queryKey: ['provider'],
  queryFn: ({ signal }) => call<SignInProvider>('/auth/openid', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** How the person can sign in. */
export const methodsQuery = queryOptions({
  queryKey: ['sign-in-methods'],
  queryFn: ({ signal }) => call<SignInMethods>('/auth/methods', { signal }),
});
