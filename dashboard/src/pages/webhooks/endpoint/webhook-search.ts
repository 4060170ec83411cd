import type { WebhookRange } from '@svc/service/webhooks/wire';
import { type TimeRange, timeRange } from '../../../list/time/time-range.ts';
import { oneOf } from '../../../routes/search.ts';
import { DELIVERY_GROUPS } from '../event-types.ts';

/** The parts of the page of an endpoint that are in the URL, so that a shared link shows the same. */

export const STATES = ['delivered', 'pending', 'failed'] as const;
const PLOT_RANGES = ['24h', '7d', '30d'] as const satisfies readonly WebhookRange[];
const TYPES = DELIVERY_GROUPS.flatMap(({ types }) => types);

export interface WebhookSearch extends TimeRange {
  /** The length of time that the plots show. Default: `24h`. */
  readonly plot?: (typeof PLOT_RANGES)[number] | undefined;
  readonly state?: (typeof STATES)[number] | undefined;
  readonly type?: string | undefined;
}

export const webhookSearch = (search: Readonly<Record<string, unknown>>): WebhookSearch => ({
  ...timeRange(search),
  plot: oneOf(search['plot'], PLOT_RANGES),
  state: oneOf(search['state'], STATES),
  type: oneOf(search['type'], TYPES),
});
