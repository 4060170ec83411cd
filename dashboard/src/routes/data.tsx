import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../chunks/lazy-page.tsx';
import { PageSkeleton } from '../layout/page-skeleton.tsx';
import { dataSearch } from '../pages/data/data-search.ts';
import { RouteFailure } from './root.tsx';
import { workspaceRoute } from './workspace.tsx';

/** The workspace's records: a list each, and a page for one of them. */

const common = {
  getParentRoute: () => workspaceRoute,
  pendingComponent: PageSkeleton,
  errorComponent: RouteFailure,
} as const;
const list = {
  ...common,
  validateSearch: dataSearch,
  component: lazyPage(() => import('../pages/data/list-page.tsx'), 'ListPage'),
} as const;
const record = {
  ...common,
  component: lazyPage(() => import('../pages/data/record-page.tsx'), 'RecordPage'),
} as const;

export const dataRoutes = [
  createRoute({ ...list, path: '/data/audits' }),
  createRoute({ ...record, path: '/data/audits/$recordId' }),
  createRoute({ ...list, path: '/data/mentions' }),
  createRoute({ ...record, path: '/data/mentions/$recordId' }),
  createRoute({ ...list, path: '/data/content' }),
  createRoute({ ...record, path: '/data/content/$recordId' }),
  createRoute({ ...list, path: '/data/companies' }),
  createRoute({ ...record, path: '/data/companies/$recordId' }),
] as const;
