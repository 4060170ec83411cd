import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { BASE_PATH } from './base.ts';
import { PageSkeleton } from './layout/page-skeleton.tsx';
import type { PagePath } from './page-paths.ts';
import { accountRoute } from './routes/account.tsx';
import { listRoute, recordRoute } from './routes/data.tsx';
import { RouteFailure, rootRoute } from './routes/root.tsx';
import { invitationRoute, passwordResetRoute, setUpRoute, signInRoute } from './routes/sign-in.tsx';
import { signedInRoute, startRoute } from './routes/signed-in.tsx';
import { deliveryRoute, webhookRoute, webhooksRoute } from './routes/webhooks.tsx';
import {
  explorerRoute,
  keyRoute,
  keysRoute,
  logRoute,
  overviewRoute,
  searchRoute,
  settingsRoute,
  workspaceRoute,
} from './routes/workspace.tsx';

const routeTree = rootRoute.addChildren([
  signInRoute,
  setUpRoute,
  invitationRoute,
  passwordResetRoute,
  signedInRoute.addChildren([
    startRoute,
    accountRoute,
    workspaceRoute.addChildren([
      overviewRoute,
      keysRoute,
      keyRoute,
      logRoute,
      webhooksRoute,
      webhookRoute,
      deliveryRoute,
      listRoute,
      recordRoute,
      searchRoute,
      explorerRoute,
      settingsRoute,
    ]),
  ]),
]);

const PENDING_AFTER_MS = 150;
const PENDING_AT_LEAST_MS = 250;

export const buildRouter = (client: QueryClient) =>
  createRouter({
    routeTree,
    basepath: BASE_PATH,
    context: { client },
    // The query client caches the data of pages and decides when it is stale.
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultPendingMs: PENDING_AFTER_MS,
    defaultPendingMinMs: PENDING_AT_LEAST_MS,
    defaultPendingComponent: PageSkeleton,
    defaultErrorComponent: RouteFailure,
    scrollRestoration: true,
  });

export type Router = ReturnType<typeof buildRouter>;

declare module '@tanstack/react-router' {
  interface Register {
    router: Router;
  }
}

/** Path of a route, without the trailing slash of an index route. */
type Page<Path extends string> = Path extends '/' | '' ? '/' : Path extends `${infer Start}/` ? Start : Path;
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;

/** A type error here means that PAGE_PATHS lacks a route, or has a path without a route. */
export const PAGES_ARE_ROUTES: Same<Page<Extract<keyof Router['routesByPath'], string>>, PagePath> = true;
