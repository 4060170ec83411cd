import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  type ErrorComponentProps,
  Outlet,
  useRouter,
} from '@tanstack/react-router';
import { NotFound } from '../layout/not-found.tsx';
import { FailureState } from '../ui/failure-state.tsx';

export interface RouterContext {
  readonly client: QueryClient;
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  notFoundComponent: NotFound,
});

/** For whatever a route could not load or show. */
export function RouteFailure({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const { client } = router.options.context as RouterContext;
  const retry = (): void => {
    client.resetQueries({ predicate: ({ state }) => state.status === 'error' }).catch(() => undefined);
    reset();
    void router.invalidate();
  };
  return <FailureState error={error} retry={retry} />;
}
