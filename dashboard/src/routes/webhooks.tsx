import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../chunks/lazy-page.tsx';
import { webhookSearch } from '../pages/webhooks/endpoint/webhook-search.ts';
import { workspacePage } from './workspace.tsx';

interface WebhooksSearch {
  /** Opens the dialog that creates an endpoint. */
  readonly create?: true | undefined;
}

/** The endpoints. */
export const webhooksRoute = createRoute({
  ...workspacePage,
  path: '/webhooks',
  validateSearch: ({ create }: Record<string, unknown>): WebhooksSearch => ({
    create: create === true ? create : undefined,
  }),
  component: lazyPage(() => import('../pages/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
});

/** An endpoint with its deliveries. */
export const webhookRoute = createRoute({
  ...workspacePage,
  path: '/webhooks/$endpointId',
  validateSearch: webhookSearch,
  component: lazyPage(() => import('../pages/webhooks/endpoint/webhook-page.tsx'), 'WebhookPage'),
});

/** A delivery. */
export const deliveryRoute = createRoute({
  ...workspacePage,
  path: '/webhooks/$endpointId/deliveries/$eventId',
  component: lazyPage(() => import('../pages/webhooks/delivery/delivery-page.tsx'), 'DeliveryPage'),
});
