import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiFailure, isFailure } from './failure.ts';

const FRESH_MS = 15_000;
const RETRIES_MAX = 2;

/** `onSignedOut` runs when any request finds that there is no session any more. */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const watch = (error: unknown): void => {
    if (isFailure(error, 'not_signed_in')) onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError: watch }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, mutation) => {
        if (mutation.meta?.['signsIn'] !== true) watch(error);
      },
    }),
    defaultOptions: {
      // A service on this machine answers without any network; whether one does is found out by asking.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: FRESH_MS,
        // What the client did wrong stays wrong; what the service could not do may work the next time.
        retry: (count, error) => count < RETRIES_MAX && error instanceof ApiFailure && error.passing,
      },
    },
  });
}
