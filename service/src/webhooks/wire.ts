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

/** `GET …/webhooks/{endpointId}/secret`, and `POST …/rotate`. */
export interface WebhookSecrets {
  /** `whsec_…` */
  readonly secret: string;
  /** The secret before the last rotation, which signs too until that time. */
  readonly previous: { readonly secret: string; readonly until: Time } | null;
}

/** `POST …/webhooks`. */
export interface CreatedEndpoint {
  readonly endpoint: WebhookEndpoint;
  /** Null in the response to a repeat: the secret was in the first response. */
  readonly secret: string | null;
}
