import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  type ErrorComponentProps,
  Outlet,
  useRouter,
} from '@tanstack/react-router';
import { ChunkFailure } from '../chunks/lazy-page.tsx';
import { PageRecovery } from '../chunks/page-recovery.tsx';
import { NotFoundPage } from '../layout/not-found.tsx';
import { FailureState } from '../ui/failure-state.tsx';

export interface RouterContext {
  readonly client: QueryClient;
}

/** For errors outside the frame of a workspace. */
export const RootFailure = (props: ErrorComponentProps) => (
  <main className="flex min-h-dvh items-center justify-center">
    <RouteFailure {...props} />
  </main>
);

/** For any error of loading or rendering a route. It takes the place of the page. */
export function RouteFailure({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const { client } = router.options.context as RouterContext;
  const retry = (): void => {
    client.resetQueries({ predicate: ({ state }) => state.status === 'error' }).catch(() => undefined);
    reset();
    void router.invalidate();
  };
  if (error instanceof ChunkFailure) {
    return <PageRecovery failure={error} onRecovered={retry} heading="h1" />;
  }
  return <FailureState error={error} retry={retry} heading="h1" />;
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  errorComponent: RootFailure,
});
