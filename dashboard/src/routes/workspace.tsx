import { CONTRACT, SEARCH_MAX_CHARACTERS } from '@svc/sdk/contract';
import { createRoute, type ErrorComponentProps, notFound, Outlet } from '@tanstack/react-router';
import { isFailure } from '../api/failure.ts';
import { useMe } from '../api/me.ts';
import { overviewQuery, trafficQuery } from '../api/overview.ts';
import { workspaceQuery } from '../api/workspace.ts';
import { lazyPage } from '../chunks/lazy-page.tsx';
import { FrameSkeleton } from '../layout/frame-skeleton.tsx';
import { NoWorkspacePage } from '../layout/not-found.tsx';
import { PageSkeleton } from '../layout/page-skeleton.tsx';
import { QuotaBanner } from '../layout/quota-banner.tsx';
import { Shell } from '../layout/shell.tsx';
import { logSearch } from '../pages/log/log-search.ts';
import { DisabledBanner } from '../pages/webhooks/disabled-banner.tsx';
import { SEARCHED_RESOURCES } from '../resources/resources.ts';
import { rememberWorkspace } from '../session/last-workspace.ts';
import { RootFailure, RouteFailure } from './root.tsx';
import { oneOf, text } from './search.ts';
import { signedInRoute } from './signed-in.tsx';

const DeletedWorkspacePage = lazyPage(
  () => import('../pages/account/deleted-workspace.tsx'),
  'DeletedWorkspacePage',
);
const SecondFactorNeeded = lazyPage(
  () => import('../pages/account/second-factor-needed.tsx'),
  'SecondFactorNeeded',
);

/** Parent of the pages of a workspace. Shows the page "Page not found" unless the person is a member. */
export const workspaceRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/w/$workspaceId',
  loader: async ({ context: { client }, params: { workspaceId } }) => {
    try {
      await client.ensureQueryData(workspaceQuery(workspaceId));
      rememberWorkspace(workspaceId);
    } catch (error) {
      if (isFailure(error, 'not_found')) throw notFound();
      throw error;
    }
  },
  component: function Workspace() {
    const { workspaceId } = workspaceRoute.useParams();
    return (
      <Shell workspaceId={workspaceId}>
        <QuotaBanner key={workspaceId} workspaceId={workspaceId} />
        <DisabledBanner key={workspaceId} workspaceId={workspaceId} />
        {/* Another workspace gets new pages, which keep no values of this one. */}
        <Outlet key={workspaceId} />
      </Shell>
    );
  },
  pendingComponent: FrameSkeleton,
  errorComponent: (props: ErrorComponentProps) =>
    isFailure(props.error, 'second_factor_required') ? <SecondFactorNeeded /> : <RootFailure {...props} />,
  notFoundComponent: function NoWorkspace() {
    const { workspaceId } = workspaceRoute.useParams();
    const isDeleted = useMe().deletedWorkspaces.some(({ id }) => id === workspaceId);
    return isDeleted ? <DeletedWorkspacePage /> : <NoWorkspacePage workspaceId={workspaceId} />;
  },
});

/** What every page of a workspace has in common. */
export const workspacePage = {
  getParentRoute: () => workspaceRoute,
  pendingComponent: PageSkeleton,
  errorComponent: RouteFailure,
} as const;

const OVERVIEW_RANGES = ['24h', '7d', '30d', '90d'] as const;

interface OverviewSearch {
  /** Default: `7d`. */
  readonly range?: (typeof OVERVIEW_RANGES)[number] | undefined;
}

export const overviewRoute = createRoute({
  ...workspacePage,
  path: '/',
  validateSearch: ({ range }: Record<string, unknown>): OverviewSearch => ({
    range: oneOf(range, OVERVIEW_RANGES),
  }),
  loaderDeps: ({ search: { range = '7d' } }) => ({ range }),
  loader: ({ context: { client }, params: { workspaceId }, deps: { range } }) => {
    // Start the requests here. The page shows the results when they arrive.
    void client.prefetchQuery(overviewQuery(workspaceId));
    void client.prefetchQuery(trafficQuery(workspaceId, range));
  },
  component: lazyPage(() => import('../pages/overview/overview-page.tsx'), 'OverviewPage'),
});

const KEY_STATUSES = CONTRACT.apiKeys.filters.status.values;

interface KeysSearch {
  /** Default: `active`. */
  readonly status?: (typeof KEY_STATUSES)[number] | undefined;
  /** Opens the dialog that creates a key; `test`: with the mode test selected. */
  readonly create?: true | 'test' | undefined;
}

export const keysRoute = createRoute({
  ...workspacePage,
  path: '/keys',
  validateSearch: ({ status, create }: Record<string, unknown>): KeysSearch => ({
    status: oneOf(status, KEY_STATUSES),
    create: create === true || create === 'test' ? create : undefined,
  }),
  component: lazyPage(() => import('../pages/keys/keys-page.tsx'), 'KeysPage'),
});

const KEY_RANGES = ['7d', '30d', '90d'] as const;

interface KeySearch {
  /** Opens the dialog that replaces the key. */
  readonly replace?: true | undefined;
  /** The time range of the plot. Default: `30d`. */
  readonly range?: (typeof KEY_RANGES)[number] | undefined;
}

/** A key with its usage and its latest requests. */
export const keyRoute = createRoute({
  ...workspacePage,
  path: '/keys/$keyId',
  validateSearch: ({ replace, range }: Record<string, unknown>): KeySearch => ({
    replace: replace === true ? replace : undefined,
    range: oneOf(range, KEY_RANGES),
  }),
  component: lazyPage(() => import('../pages/keys/key/key-page.tsx'), 'KeyPage'),
});

export const logRoute = createRoute({
  ...workspacePage,
  path: '/log',
  validateSearch: logSearch,
  component: lazyPage(() => import('../pages/log/log-page.tsx'), 'LogPage'),
});

const SEARCHED_NAMES = SEARCHED_RESOURCES.map(({ name }) => name);

interface SearchSearch {
  readonly q?: string | undefined;
  /** Name of the resource whose records are listed. Default: the best results of all. */
  readonly in?: string | undefined;
}

export const searchRoute = createRoute({
  ...workspacePage,
  path: '/search',
  // The router reads `40` as a number.
  validateSearch: ({ q, in: name }: Record<string, unknown>): SearchSearch => ({
    q: text(typeof q === 'number' ? String(q) : q)?.slice(0, SEARCH_MAX_CHARACTERS),
    in: oneOf(name, SEARCHED_NAMES),
  }),
  component: lazyPage(() => import('../pages/search/search-page.tsx'), 'SearchPage'),
});

export const explorerRoute = createRoute({
  ...workspacePage,
  path: '/explorer',
  component: lazyPage(() => import('../pages/explorer/explorer-page.tsx'), 'ExplorerPage'),
});

const SETTINGS_TABS = ['general', 'limits', 'members'] as const;

interface SettingsSearch {
  readonly tab?: (typeof SETTINGS_TABS)[number] | undefined;
  /** Opens the dialog that invites a member. Only with the tab of the members. */
  readonly invite?: true | undefined;
}

export const settingsRoute = createRoute({
  ...workspacePage,
  path: '/settings',
  validateSearch: ({ tab, invite }: Record<string, unknown>): SettingsSearch => ({
    tab: oneOf(tab, SETTINGS_TABS),
    invite: invite === true ? invite : undefined,
  }),
  component: lazyPage(() => import('../pages/settings/settings-page.tsx'), 'SettingsPage'),
});
