import { createRoute, notFound } from '@tanstack/react-router';
import { lazyPage } from '../chunks/lazy-page.tsx';
import { dataSearch } from '../pages/data/data-search.ts';
import { findResource } from '../resources/resources.ts';
import { oneOf } from './search.ts';
import { workspacePage } from './workspace.tsx';

/** Shows the page "Page not found" if there is no such resource. */
function requireResource(name: string): void {
  if (findResource(name) === undefined) throw notFound();
}

/** The list of the records of a resource. */
export const listRoute = createRoute({
  ...workspacePage,
  path: '/data/$resource',
  beforeLoad: ({ params: { resource } }) => requireResource(resource),
  validateSearch: dataSearch,
  component: lazyPage(() => import('../pages/data/list-page.tsx'), 'ListPage'),
});

const SCORE_RANGES = ['30d', '90d', '1y'] as const;

interface RecordSearch {
  /** The time range of the plot of scores. Default: `90d`. */
  readonly range?: (typeof SCORE_RANGES)[number] | undefined;
}

/** A record. */
export const recordRoute = createRoute({
  ...workspacePage,
  path: '/data/$resource/$recordId',
  beforeLoad: ({ params: { resource } }) => requireResource(resource),
  validateSearch: ({ range }: Record<string, unknown>): RecordSearch => ({
    range: oneOf(range, SCORE_RANGES),
  }),
  component: lazyPage(() => import('../pages/data/record-page.tsx'), 'RecordPage'),
});
