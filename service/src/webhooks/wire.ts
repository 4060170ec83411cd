import type { Time } from '@svc/sdk';
import type { DisabledReason } from './deliveries.ts';
import type { EndpointSettings } from './endpoints.ts';

/** The bodies of the dashboard's responses about webhooks. */

/** An item of `GET …/webhooks`. */
export interface WebhookEndpoint extends EndpointSettings {
  /** `whe_…` */
  readonly id: string;
  readonly enabled: boolean;
  /** Null while it is enabled. `person`: a person disabled it. The others: the service did. */
  readonly disabled: { readonly reason: DisabledReason | 'person'; readonly at: Time } | null;
  /** The first attempt since which every attempt failed. Null: the last one succeeded, or there was none. */
  readonly failingSince: Time | null;
  readonly createdAt: Time;
  readonly updatedAt: Time;
}
