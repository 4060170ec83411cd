import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../chunks/lazy-page.tsx';
import { PageSkeleton } from '../layout/page-skeleton.tsx';
import { webhookSearch } from '../pages/webhooks/endpoint/webhook-search.ts';
import { RouteFailure } from './root.tsx';
import { workspaceRoute } from './workspace.tsx';

const common = {
  getParentRoute: () => workspaceRoute,
  pendingComponent: PageSkeleton,
  errorComponent: RouteFailure,
} as const;

interface WebhooksSearch {
  /** Opens the dialog that creates an endpoint. */
  readonly create?: true | undefined;
}

/** The endpoints. */
export const webhooksRoute = createRoute({
  ...common,
  path: '/webhooks',
  validateSearch: ({ create }: Record<string, unknown>): WebhooksSearch => ({
    create: create === true ? create : undefined,
  }),
  component: lazyPage(() => import('../pages/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
});

/** An endpoint with its deliveries. */
export const webhookRoute = createRoute({
  ...common,
  path: '/webhooks/$endpointId',
  validateSearch: webhookSearch,
  component: lazyPage(() => import('../pages/webhooks/endpoint/webhook-page.tsx'), 'WebhookPage'),
});

/** A delivery. */
export const deliveryRoute = createRoute({
  ...common,
  path: '/webhooks/$endpointId/deliveries/$eventId',
  component: lazyPage(() => import('../pages/webhooks/delivery/delivery-page.tsx'), 'DeliveryPage'),
});
