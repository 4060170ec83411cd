import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { PageSkeleton } from '../layout/page-skeleton.tsx';
import { RouteFailure } from './root.tsx';
import { workspaceRoute } from './workspace.tsx';

/** The workspace's records: a list each, and a page for one of them. */

const common = {
  getParentRoute: () => workspaceRoute,
  pendingComponent: PageSkeleton,
  errorComponent: RouteFailure,
} as const;
const list = lazyRouteComponent(() => import('../pages/data/list-page.tsx'), 'ListPage');
const record = lazyRouteComponent(() => import('../pages/data/record-page.tsx'), 'RecordPage');

export const dataRoutes = [
  createRoute({ ...common, path: '/data/audits', component: list }),
  createRoute({ ...common, path: '/data/audits/$recordId', component: record }),
  createRoute({ ...common, path: '/data/mentions', component: list }),
  createRoute({ ...common, path: '/data/mentions/$recordId', component: record }),
  createRoute({ ...common, path: '/data/content', component: list }),
  createRoute({ ...common, path: '/data/content/$recordId', component: record }),
  createRoute({ ...common, path: '/data/companies', component: list }),
  createRoute({ ...common, path: '/data/companies/$recordId', component: record }),
] as const;
