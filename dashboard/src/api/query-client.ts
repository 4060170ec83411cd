import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiFailure } from './failure.ts';

const FRESH_MS = 15_000;
const RETRIES_MAX = 2;

export interface Refusals {
  /** Called when the response to any request says that there is no session. */
  readonly onSignedOut: (failure: ApiFailure) => void;
  /** Called when the response to any request says that somebody else has signed in in this browser. */
  readonly onPersonChanged: () => void;
  /** Called when the response to any request is `not_found`. */
  readonly onNotFound: () => void;
  /** Called when the response to any request is `insufficient_scope`: the role of the person may be another one. */
  readonly onNotAllowed: () => void;
  /** Called when the workspace requires a second factor that the person does not have. */
  readonly onBlocked: () => void;
}

export function createQueryClient(refusals: Refusals): QueryClient {
  const watch = (error: unknown): void => {
    if (!(error instanceof ApiFailure)) return;
    if (error.code === 'not_signed_in') refusals.onSignedOut(error);
    if (error.code === 'person_changed') refusals.onPersonChanged();
    if (error.code === 'not_found') refusals.onNotFound();
    if (error.code === 'insufficient_scope') refusals.onNotAllowed();
    if (error.code === 'second_factor_required') refusals.onBlocked();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError: watch }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, mutation) => {
        if (mutation.meta?.['signsIn'] !== true) watch(error);
      },
    }),
    defaultOptions: {
      // Do not ask the browser whether it is online: a service on the same machine works without a network.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: FRESH_MS,
        // An error of the client stays an error. An error of the service may go away.
        retry: (count, error) => count < RETRIES_MAX && error instanceof ApiFailure && error.retryable,
      },
    },
  });
}
